import { expect, it } from "vitest";
import { cutText, engineData, engineText } from "./engine-text.js";

const high = "\ud83d";
const low = "\ude00";
const both = high + low;

it.each([
  ["a pair", both, both],
  ["an unpaired high surrogate", `a${high}b`, "a\ufffdb"],
  ["an unpaired low surrogate at the start", `${low}b`, "\ufffdb"],
  ["surrogates in the wrong order", low + high, "\ufffd\ufffd"],
  ["an unpaired surrogate before a pair", high + both, `\ufffd${both}`],
  ["NUL", "a\0b", "a\0b"],
  ["an escape that is text", "a\\ud83d", "a\\ud83d"],
  ["a backslash before an unpaired surrogate", `\\${high}`, "\\\ufffd"],
])("engineText() and engineData() give %s as an engine carries it", (_what, text, carried) => {
  expect(engineText(text)).toBe(carried);
  expect(engineData({ [text]: [text, { deep: text }] })).toEqual({
    [carried]: [carried, { deep: carried }],
  });
});

it("engineData() returns what needs no change as it is", () => {
  const value = { at: new Date(0), text: "x" };
  expect(engineData(value)).toBe(value);
  expect(engineData(undefined)).toBeUndefined();
});

it("cutText() never cuts a surrogate pair", () => {
  expect(cutText(`ab${both}`, 3)).toBe("ab");
  expect(cutText(`ab${both}`, 4)).toBe(`ab${both}`);
  expect(cutText("abc", 2)).toBe("ab");
});
