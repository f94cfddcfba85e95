import { en } from "./en/index.js";

/** All texts of the inbox in one language. Another language has the same keys, which its type checks. */
export type Words = typeof en;

/**
 * The texts of the reader's language. Read them while rendering, not while a module loads: `setInboxLanguage` replaces
 * them before the first render.
 */
export let words: Words = en;

/** Replaces the texts of the inbox. `setInboxLanguage` also has the page rendered again. */
export function speak(next: Words): void {
  words = next;
}
