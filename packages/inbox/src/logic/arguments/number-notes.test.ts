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
    expect(numberNotes("amount", before, after, "EUR").warning).toBe(warning);
  });

  it("writes the number as in the arguments", () => {
    expect(numberNotes("amount", 80, 1234.5, "EUR").sent).toBe("1,234.50 EUR");
    expect(numberNotes("orderId", 80, 12_345, "EUR").sent).toBe("12345");
  });

  it("speaks German", () => {
    speak(de);
    writeAs("de");
    expect(numberNotes("amount", 1200, 1.2, "EUR")).toEqual({
      sent: "1,20 EUR",
      warning: "1.000-mal weniger als 1.200 EUR",
    });
  });
});
