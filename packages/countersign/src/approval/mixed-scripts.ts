/** The scripts whose letters people take for one another, or that stand in most texts. */
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

/** What words of one language mix: the "highly restrictive" profile of UTS 39, section 5.2. */
const usualMixes = [
  ["Latin", "Han", "Hiragana", "Katakana"],
  ["Latin", "Han", "Bopomofo"],
  ["Latin", "Han", "Hangul"],
];

/** The letters that do not belong to a word's main script, or nothing where its scripts usually stand together. */
export function foreignLetters(word: string): string[] {
  const found = scripts
    .map(({ name, letters }) => ({ name, letters: word.match(letters) ?? [] }))
    .filter(({ letters }) => letters.length > 0);
  if (found.length < 2) return [];
  if (usualMixes.some((mix) => found.every(({ name }) => mix.includes(name)))) return [];
  // Where two scripts have as many letters, the first of the list is the main one.
  const [, ...foreign] = found.sort((one, other) => other.letters.length - one.letters.length);
  return [...new Set(foreign.flatMap(({ letters }) => letters))];
}
