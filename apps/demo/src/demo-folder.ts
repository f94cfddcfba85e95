/** The folder of the demo, the same from the sources, from what they are compiled to, and from the bundle of all of it. */
export const demoFolder = new URL("../", import.meta.url);
