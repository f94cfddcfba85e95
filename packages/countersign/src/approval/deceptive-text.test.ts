import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deceptiveCharacter, visibleText } from "../policy/visible-text.js";
import { deceptiveText } from "./deceptive-text.js";

const flagsOf = (value: unknown) => deceptiveText({ input: value }).flags;

describe("a text is flagged", () => {
  it.each([
    ["report\u202efdp.exe", "direction", ["U+202E"]],
    ["zero\u200bwidth", "invisible", ["U+200B"]],
    ["lonely\u200djoiner", "invisible", ["U+200D"]],
    ["1\ufe0f", "invisible", ["U+FE0F"]],
    ["red\u001b[31m", "control", ["U+001B"]],
    ["p\u0430ypal", "mixed_script", ["U+0430"]],
    ["\u0420\u0430ss\u0440ort", "mixed_script", ["U+0420", "U+0430", "U+0440"]],
    ["g\u03bfogle", "mixed_script", ["U+03BF"]],
    ["\u13aapple", "mixed_script", ["U+13AA"]],
  ])("%j", (text, kind, characters) => {
    expect(flagsOf({ at: [text] })).toMatchObject([{ path: "input.at.0", kind, characters }]);
    expect(flagsOf({ [text]: 1 })).toMatchObject([{ kind, characters }]);
    expect(deceptiveText({ toolName: text }).flags).toMatchObject([{ path: "toolName", kind, characters }]);
  });
});

it.each([
  "Plain text,\n\tin lines",
  "\u{1f469}\u200d\u{1f469}\u200d\u{1f467} \u2764\ufe0f \u{1f44d}\u{1f3fd} 1\ufe0f\u20e3 \u{1f3f3}\ufe0f\u200d\u{1f308}",
  "\u6771\u4eac\u30bf\u30ef\u30fc\u306eTシャツ",
  "\ud55c\uad6d\uc5b4 Latin \u6f22\u5b57",
  "Привет, world",
  "naïve Ångström Straße e\u0301",
  "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
])("leaves %j alone", (text) => {
  expect(flagsOf({ text })).toEqual([]);
});

it("flags at most a hundred places, and says so", () => {
  const flagged = deceptiveText({ input: Array(150).fill("\u202e") });
  expect(flagged.flags).toHaveLength(100);
  expect(flagged.flagsTruncated).toBe(true);
  expect(deceptiveText({ input: Array(100).fill("\u202e") }).flagsTruncated).toBe(false);
});

it("shows nothing that deceives, and names only characters that are in the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      expect(visibleText(text, 1000)).not.toMatch(deceptiveCharacter);
      for (const flag of flagsOf(text)) {
        for (const name of flag.characters) {
          expect(text).toContain(String.fromCodePoint(Number.parseInt(name.slice(2), 16)));
        }
        expect(`${flag.path}${flag.text ?? ""}`).not.toMatch(deceptiveCharacter);
      }
    }),
    { numRuns: 500 },
  );
});
