/** Keeps what a function of the probe saw, by the key of its run and a name. */
export type Note = (key: unknown, name: string, value: unknown) => void;
