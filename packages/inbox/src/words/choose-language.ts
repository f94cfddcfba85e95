/** The languages of the inbox, the first for readers of none of them. */
export const languages = ["en", "de"] as const;

export type Language = (typeof languages)[number];

/** The parameter of the service worker's address with its language. */
export const languageParameter = "language";

/** A language and the region whose dates and numbers go with it, such as `de-CH`. */
export interface Speech {
  language: Language;
  locale: string;
}

/**
 * The language for a reader: the wanted one or the first that the browser prefers and the inbox speaks. Dates and numbers are
 * written as in the region that the browser names for this language.
 */
export function chooseLanguage(wanted: Language | undefined, preferred: readonly string[]): Speech {
  const speeches = preferred.flatMap((locale) => {
    const language = languages.find((each) => each === locale.toLowerCase().split("-", 1)[0]);
    return language && isLocale(locale) ? [{ language, locale }] : [];
  });
  const found = wanted === undefined ? speeches[0] : speeches.find(({ language }) => language === wanted);
  const language = wanted ?? languages[0];
  return found ?? { language, locale: language };
}

/** Some browsers name locales that `Intl` refuses, such as `en-US@posix`. */
function isLocale(name: string): boolean {
  try {
    return new Intl.Locale(name).language !== undefined;
  } catch {
    return false;
  }
}
