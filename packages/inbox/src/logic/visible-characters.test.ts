import { describe, expect, it } from "vitest";
import { textParts, visibleText } from "./visible-characters.js";

describe("textParts", () => {
  it("leaves plain text whole, with its line breaks, tabs and other alphabets", () => {
    const text = "Grüße, Ελλάδα 你好 😀\n\tdone";
    expect(textParts(text)).toEqual([{ kind: "plain", text }]);
  });

  it("takes out what reorders or hides, with its name", () => {
    expect(textParts("pay\u202Epal\u200B")).toEqual([
      { kind: "plain", text: "pay" },
      { kind: "hidden", code: "U+202E", name: "right-to-left override" },
      { kind: "plain", text: "pal" },
      { kind: "hidden", code: "U+200B", name: "zero-width space" },
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
  ])("shows %j as %s", (text, code, name) => {
    expect(textParts(text)).toEqual([{ kind: "hidden", code, name }]);
  });

  it("takes a Windows line break for a line break", () => {
    expect(textParts("a\r\nb")).toEqual([{ kind: "plain", text: "a\nb" }]);
  });

  it("finds nothing in nothing", () => {
    expect(textParts("")).toEqual([]);
  });
});

describe("visibleText", () => {
  it("is one line in which nothing is unseen", () => {
    expect(visibleText("a\u202Eb\n\nc")).toBe("a⟨U+202E⟩b c");
  });
});
