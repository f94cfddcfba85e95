import { describe, expect, it } from "vitest";
import { textParts } from "./visible-characters.js";

const label = (name: string, words: string) => ({ kind: "label", label: name, words });

describe("textParts", () => {
  it("does not change plain text with line breaks, tabs and other alphabets", () => {
    const text = "Grüße, Ελλάδα 你好 😀\n\tdone";
    expect(textParts(text)).toEqual([{ kind: "plain", text }]);
  });

  it("labels characters that reorder or hide text", () => {
    expect(textParts("pay\u202Epal\u200B")).toEqual([
      { kind: "plain", text: "pay" },
      label("U+202E", "right-to-left override (U+202E)"),
      { kind: "plain", text: "pal" },
      label("U+200B", "zero-width space (U+200B)"),
    ]);
  });

  it.each([
    ["\u0000", "U+0000", "null"],
    ["\u001b", "U+001B", "escape"],
    ["\u0001", "U+0001", "control character"],
    ["\u2800", "U+2800", "blank Braille pattern"],
    ["\ud800", "U+D800", "invisible character"],
    ["\ue000", "U+E000", "private character"],
    ["\u{e0041}", "U+E0041", "invisible character"],
    ["\u3164", "U+3164", "Hangul filler"],
    ["\u2028", "U+2028", "line separator"],
    ["\r", "U+000D", "carriage return"],
  ])("labels %j as %s", (text, code, name) => {
    expect(textParts(text)).toEqual([label(code, `${name} (${code})`)]);
  });

  it.each([
    [" ".repeat(400), label("400 spaces", "400 spaces in a row")],
    ["\t".repeat(12), label("12 tabs", "12 tabs in a row")],
    ["\u2003".repeat(1200), label("1,200 blanks", "1,200 blanks in a row")],
    ["\n".repeat(60), label("60 line breaks", "60 line breaks in a row")],
    ["\u200b".repeat(40), label("U+200B ×40", "zero-width space (U+200B)")],
  ])("replaces a long gap with one label: %#", (gap, gapLabel) => {
    expect(textParts(`a${gap}b`)).toEqual([
      { kind: "plain", text: "a" },
      gapLabel,
      { kind: "plain", text: "b" },
    ]);
  });

  it("keeps two accents per letter and counts the rest", () => {
    expect(textParts(`a${"\u0301".repeat(9)}b`)).toEqual([
      { kind: "plain", text: "a\u0301\u0301" },
      label("7 more accents", "7 more accents on one letter"),
      { kind: "plain", text: "b" },
    ]);
  });

  it("adds a note to a look-alike word", () => {
    expect(textParts("see \u0430\u0440\u0440\u04cf\u0435.com now")).toEqual([
      { kind: "plain", text: "see " },
      {
        kind: "impostor",
        parts: [{ kind: "plain", text: "\u0430\u0440\u0440\u04cf\u0435.com" }],
        note: "looks like “apple.com”",
      },
      { kind: "plain", text: " now" },
    ]);
  });

  it("counts accents within a look-alike word", () => {
    expect(textParts(`p\u0430y\u0301\u0301\u0301\u0301pal`)).toMatchObject([
      {
        kind: "impostor",
        parts: [
          { kind: "plain", text: "p\u0430y\u0301\u0301" },
          { kind: "label", label: "2 more accents" },
          { kind: "plain", text: "pal" },
        ],
      },
    ]);
  });

  it("treats a Windows line break as a line break", () => {
    expect(textParts("a\r\nb")).toEqual([{ kind: "plain", text: "a\nb" }]);
  });

  it("returns no parts for an empty text", () => {
    expect(textParts("")).toEqual([]);
  });
});
