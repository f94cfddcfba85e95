import { describe, expect, it } from "vitest";
import { flagText } from "./flag-text.js";

describe("flagText", () => {
  it.each([
    [
      { kind: "mixed_script", text: "pаypal", looksLike: "paypal", characters: ["U+0430"] },
      "“pаypal” mixes letters from different alphabets; it looks like “paypal”: U+0430",
    ],
    [
      { kind: "look_alike", text: "аррӏе.com", looksLike: "apple.com", characters: ["U+0430"] },
      "“аррӏе.com” contains look-alike letters; it looks like “apple.com”: U+0430",
    ],
    [
      { kind: "foreign_digits", text: "DE١٢", looksLike: "DE12", characters: ["U+0661"] },
      "“DE١٢” contains digits from another script; it looks like “DE12”",
    ],
    [{ kind: "blanks", characters: ["U+0020"], count: 400 }, "400 spaces in a row"],
    [{ kind: "line_breaks", characters: [], count: 60 }, "60 line breaks in a row"],
    [{ kind: "stacked_marks", characters: ["U+0301"], count: 7 }, "7 more accents on one letter"],
    [
      { kind: "direction", characters: ["U+202E"], count: 1 },
      "Characters that change the text direction: right-to-left override (U+202E)",
    ],
    [
      { kind: "decimals", characters: [], text: "499.999999999" },
      "An amount with more than two decimals: 499.999999999",
    ],
    [{ kind: "cut_short", characters: [] }, "The summary above shows only the first line of this value"],
    [
      { kind: "blanks", characters: ["U+0020"], count: 9, inName: true },
      "In the field name: 9 spaces in a row",
    ],
  ] as const)("describes the flag: %#", (flag, words) => {
    expect(flagText({ ...flag, characters: [...flag.characters] })).toBe(words);
  });
});
