import { first } from "./en/first.js";
import type { en } from "./en/index.js";

/** English, without the texts of lazy parts until `loadAllEnglish` has added them. */
export const english = { ...first } as typeof en;

/** Adds the texts of lazy parts, which wait for them. */
export async function loadAllEnglish(): Promise<void> {
  const { en } = await import("./en/index.js");
  Object.assign(english, en);
}
