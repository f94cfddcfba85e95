import { english } from "./english.js";

/** All texts of the inbox in one language. Another language has the same keys, which its type checks. */
export type Words = typeof english;

/**
 * The texts of the reader's language. Read them while rendering, not while a module loads: `setInboxLanguage` replaces
 * them before the first render.
 */
export let words: Words = english;

/** Replaces the texts of the inbox. `setInboxLanguage` also has the page rendered again. */
export function speak(next: Words): void {
  words = next;
}
