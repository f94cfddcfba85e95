import { chooseLanguage, type Language, languages, type Speech } from "../../words/choose-language.js";
import { english } from "../../words/english.js";
import { locale, writeAs } from "../../words/locale.js";
import { speak, type Words } from "../../words/words.js";
import { createValueStore } from "./value-store.js";

const catalogues: Record<Language, () => Words | Promise<Words>> = {
  en: () => english,
  de: async () => (await import("../../words/de/index.js")).de,
};

/** The language of the inbox on this page, and the locale of its dates and numbers. */
export const spoken = createValueStore<Speech>({ language: languages[0], locale });

/** The latest request, so that an earlier catalogue that arrives later does not replace it. */
let latest: object | undefined;

/**
 * Sets the language of the inbox and its cards on this page, and with it how dates and numbers are written: those of the
 * region that the browser names for the language. The inbox page calls it itself; call it before you render components of
 * the inbox in a page of your own, which speak English otherwise. What is on the page already is rendered again.
 *
 * @param language `en` or `de`. @default the first language of the browser that the inbox speaks, otherwise English
 * @throws if the texts of the language cannot be loaded; the page keeps its language
 *
 * @example
 * ```ts
 * import { setInboxLanguage } from "@countersign/inbox";
 *
 * await setInboxLanguage("de");
 * ```
 */
export async function setInboxLanguage(language?: Language): Promise<void> {
  const request = {};
  latest = request;
  const chosen = chooseLanguage(language, globalThis.navigator?.languages ?? []);
  const words = await catalogues[chosen.language]();
  if (latest !== request) return;
  speak(words);
  writeAs(chosen.locale);
  spoken.set((now) => (now.language === chosen.language && now.locale === chosen.locale ? now : chosen));
}
