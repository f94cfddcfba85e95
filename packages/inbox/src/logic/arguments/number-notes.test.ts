import { afterEach, describe, expect, it } from "vitest";
import { de } from "../../words/de/index.js";
import { en } from "../../words/en/index.js";
import { writeAs } from "../../words/locale.js";
import { speak } from "../../words/words.js";
import { numberNotes } from "./number-notes.js";

describe("numberNotes", () => {
  afterEach(() => {
    speak(en);
    writeAs("en");
  });

  const notes = (name: string, before: unknown, text: string) =>
    numberNotes({ name, before, text, unit: name === "amount" ? "EUR" : undefined });

  it.each([
    [1200, 1.2, "1,000 times less than 1,200 EUR"],
    [80, 8, "10 times less than 80 EUR"],
    [80, 8.01, undefined],
    [0.07, 0.7, "10 times more than 0.07 EUR"],
    [80, 799, undefined],
    [80, -1234, "15 times more than 80 EUR"],
    [0, 80, undefined],
    [80, 0, undefined],
    ["80", 8000, undefined],
  ])("compares %s with %d", (before, after, warning) => {
    expect(notes("amount", before, String(after))?.warning).toBe(warning);
  });

  it("writes the number as in the arguments", () => {
    expect(notes("amount", 80, "1,234.5")?.sent).toBe("1,234.50 EUR");
    expect(notes("orderId", 80, "12345")?.sent).toBe("12345");
    expect(notes("amount", 80, "much")).toBeUndefined();
  });

  it("writes a number without its groups, too, if its sign is the decimal one elsewhere", () => {
    expect(notes("amount", 800, "1,250")?.sent).toBe("1,250 EUR = 1250");
    expect(notes("amount", 800, "1.250")?.sent).toBe("1.25 EUR");
    writeAs("de");
    expect(notes("amount", 800, "1.250")?.sent).toBe("1.250 EUR = 1250");
    expect(notes("amount", 800, "1.250,00")?.sent).toBe("1.250 EUR");
  });

  it("speaks German", () => {
    speak(de);
    writeAs("de");
    expect(notes("amount", 1200, "1,2")).toEqual({
      sent: "1,20 EUR",
      warning: "1.200 EUR ist 1.000-mal so viel",
    });
  });
});
