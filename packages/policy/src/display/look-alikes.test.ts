import confusables from "unhomoglyph/data.json" with { type: "json" };
import { expect, it } from "vitest";
import { asciiLookOf, lookAlikes } from "./look-alikes.js";

it.each(Object.entries(lookAlikes))(
  "the letters of %s are those of Unicode's list of confusables",
  (script, pairs) => {
    const ofScript = new RegExp(`^(?=\\p{L})\\p{Script=${script}}$`, "u");
    const listed = Object.entries(confusables as Record<string, string>)
      .filter(
        ([letter, ascii]) =>
          ofScript.test(letter) && /[^\0-\x7f]/.test(letter) && /^[A-Za-z0-9]$/.test(ascii),
      )
      .filter(([letter]) => letter.normalize("NFKC") === letter)
      .sort(([one], [other]) => (one.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0))
      // The list maps I and 1 to l. People read a capital as I, and the small palochka as l.
      .map(
        ([letter, ascii]) =>
          letter + (letter === "ӏ" ? "l" : ascii === "l" && !/\p{Ll}/u.test(letter) ? "I" : ascii),
      );
    expect(pairs).toBe(listed.join(""));
  },
);

it.each([
  ["аррӏе.com", "apple.com"],
  ["ΑΕ07 0331", "AE07 0331"],
  ["ｅｘａｍｐｌｅ．ｃｏｍ", "example.com"],
  ["𝐚dmin", "admin"],
  ["DE١٢ १२ ๑๒ ۱۲", "DE12 12 12 12"],
  ["1٫5", "1.5"],
])("%s looks like %s", (text, look) => {
  expect(asciiLookOf(text)).toBe(look);
});
