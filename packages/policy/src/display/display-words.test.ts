import { describe, expect, it } from "vitest";
import type { DisplayWords } from "./display-words.js";
import { effectText, effectValue, previewLines } from "./effect-text.js";
import { englishDisplay } from "./english.js";
import { flagText } from "./flag-text.js";
import { quotedValue } from "./summary-part.js";
import { markLabel } from "./text-mark.js";
import { visibleLine, visibleText } from "./visible-text.js";

const { marks, effects } = englishDisplay;
const words: DisplayWords = {
  ...englishDisplay,
  numbers: { group: ".", decimal: "," },
  quotes: { open: "„", close: "“" },
  hidden: "[verborgen]",
  marks: { ...marks, spaces: (count) => `${count} Leerzeichen`, lineBreaks: (count) => `${count} Umbrüche` },
  effects: { ...effects, nothing: "nichts", ownBeginnings: /^(?:nichts|\d[\d.]* weitere)\b/i },
};

describe("display in another language", () => {
  it("labels invisible characters in its words and numbers", () => {
    expect(visibleText(`a${" ".repeat(4000)}b`, 100, words)).toBe("a⟨4.000 Leerzeichen⟩b");
    expect(markLabel({ kind: "invisible", characters: ["U+200B"], count: 1234 }, words)).toBe(
      "U+200B ×1.234",
    );
  });

  it("ends a line at many line breaks, whatever their label", () => {
    expect(visibleLine(`a${"\n".repeat(5)}b`, 100, words)).toEqual({ shown: "a…", cut: true });
    expect(visibleLine(`${"\n".repeat(5)}b`, 100, words).shown).toBe("⟨5 Umbrüche⟩b");
  });

  it("quotes with its quotation marks, which values cannot close", () => {
    expect(quotedValue("a “b„ c", words)).toBe('„a "b" c“');
    expect(quotedValue("[hidden]", words)).toBe("[verborgen]");
  });

  it("quotes values and targets that could be read as its words", () => {
    expect(effectValue(null, { words })).toBe("nichts");
    expect(effectValue("Nichts", { words })).toBe("„Nichts“");
    expect(effectText({ target: "nichts", after: 1 }, { words })).toBe("„nichts“: nichts → 1");
    expect(effectText({ target: "1.000 weitere Konten", count: 20_000 }, { words })).toBe(
      "„1.000 weitere Konten“ (20.000)",
    );
  });

  it("writes the numbers of effects and flags in its format", () => {
    const preview = {
      failed: null,
      effects: [{ target: "amount", before: 1200, after: 0.5 }],
      reversible: "7 d",
    };
    expect(previewLines(preview, { words })).toEqual([
      "amount: 1.200 → 0,50",
      "This can be undone within 7 days.",
    ]);
    expect(flagText({ kind: "decimals", characters: [], text: "499.999" }, words)).toBe(
      "An amount with more than two decimals: 499,999",
    );
  });
});
