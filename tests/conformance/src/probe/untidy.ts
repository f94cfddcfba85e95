export const oneMiB = 1024 * 1024;

/** Data whose keys are not in the order in which they sort, at any depth. */
export const untidy = {
  z: 1,
  list: [{ y: 1, x: { d: 1, c: 2 } }],
  é: 1,
  b: { k: null, j: [] },
  "10": 1,
  "9": 2,
  a: {},
};

/** Numbers that a server changes if it does not keep them as doubles. */
export const numbers = {
  exponent: 1e21,
  large: 12_345_678_901_234_567_000,
  largest: Number.MAX_VALUE,
  precise: 0.1 + 0.2,
  small: 1e-7,
  smallest: 5e-324,
  uneven: 2 ** 53 + 2,
};

/** Texts that a server changes if it escapes or cuts them. */
export const texts = {
  emoji: "😀",
  html: "<a href='x'>&amp;</a>",
  lines: "a\u2028b\u2029c\r\n",
  nul: "a\0b",
  quotes: '"\\"',
};

/** JSON text whose keys are sorted at each depth. Keys that are indexes come first in JavaScript, whatever a server does. */
export function isSorted(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isSorted);
  const keys = Object.keys(value).filter((key) => !/^\d+$/.test(key));
  return (
    keys.every((key, index) => index === 0 || String(keys[index - 1]) < key) &&
    Object.values(value).every(isSorted)
  );
}
