import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { de } from "../../words/de/index.js";
import { en } from "../../words/en/index.js";
import { writeAs } from "../../words/locale.js";
import { speak } from "../../words/words.js";
import { sentencePieces } from "./sentence.js";

describe("the sentence of a call in German", () => {
  beforeEach(() => {
    speak(de);
    writeAs("de");
  });
  afterEach(() => {
    speak(en);
    writeAs("en");
  });

  it("writes numbers as the arguments do, and quotes texts that look like numbers", () => {
    const summaryParts = [
      { text: "Refund " },
      { value: "1,234.50", path: "amount", number: 1234.5 },
      { text: " EUR for order " },
      { value: "1,200", path: "orderId" },
      { text: ", " },
      { value: "10000", path: "lines.0.id", number: 10_000 },
    ];
    expect(sentencePieces(someApproval({ summaryParts })).map(({ text }) => text)).toEqual([
      "Refund ",
      "1.234,50",
      " EUR for order ",
      "„1,200“",
      ", ",
      "10000",
    ]);
  });
});
