/** Scripts with look-alike letters, and the most common scripts. */
const scripts = [
  "Latin",
  "Cyrillic",
  "Greek",
  "Armenian",
  "Cherokee",
  "Coptic",
  "Georgian",
  "Lisu",
  "Han",
  "Hiragana",
  "Katakana",
  "Hangul",
  "Bopomofo",
  "Hebrew",
  "Arabic",
  "Devanagari",
  "Bengali",
  "Tamil",
  "Telugu",
  "Kannada",
  "Malayalam",
  "Thai",
  "Lao",
  "Khmer",
  "Myanmar",
  "Ethiopic",
  "Canadian_Aboriginal",
].map((name) => ({ name, letters: new RegExp(`\\p{Script=${name}}`, "gu") }));

/** A word in a single script, the common case. */
const ofOneScript = new RegExp(
  `^(?:${scripts.map(({ name }) => `[\\p{Script=${name}}\\p{M}]+`).join("|")})$`,
  "u",
);

/** Script combinations of single languages: the "highly restrictive" profile of UTS 39, section 5.2. */
const usualMixes = [
  ["Latin", "Han", "Hiragana", "Katakana"],
  ["Latin", "Han", "Bopomofo"],
  ["Latin", "Han", "Hangul"],
];

/** The letters outside a word's main script; empty for common combinations of scripts. */
export function foreignLetters(word: string): string[] {
  if (ofOneScript.test(word)) return [];
  const found = scripts
    .map(({ name, letters }) => ({ name, letters: word.match(letters) ?? [] }))
    .filter(({ letters }) => letters.length > 0);
  if (found.length < 2) return [];
  if (usualMixes.some((mix) => found.every(({ name }) => mix.includes(name)))) return [];
  // If two scripts have equally many letters, the first in the list is the main one.
  const [, ...foreign] = found.sort((one, other) => other.letters.length - one.letters.length);
  return [...new Set(foreign.flatMap(({ letters }) => letters))];
}
