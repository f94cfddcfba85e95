import { afterEach, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { de } from "../../words/de/index.js";
import { en } from "../../words/en/index.js";
import { writeAs } from "../../words/locale.js";
import { speak } from "../../words/words.js";
import { requestedValues } from "./requested-values.js";

afterEach(() => {
  speak(en);
  writeAs("en");
});

const sentence = (amount: number, orderId: string) => [
  { text: "Refund " },
  { value: `${amount}`, path: "amount", number: amount },
  { text: " EUR for order " },
  { value: orderId, path: "orderId" },
];

it("an edited call names the values that were asked for, with their units", () => {
  const parts = { summaryParts: sentence(30, "A-1"), proposedSummaryParts: sentence(1095.5, "A-1 or so") };
  const edited = someApproval({ ...parts, units: { amount: "EUR" } });
  expect(requestedValues(edited)).toEqual(["1,095.50 EUR", "“A-1 or so”"]);
  speak(de);
  writeAs("de");
  expect(requestedValues(edited)).toEqual(["1.095,50 EUR", "„A-1 or so“"]);
});

it("an edited call does not name the values that stayed", () => {
  const parts = { summaryParts: sentence(30, "A-1"), proposedSummaryParts: sentence(95, "A-1") };
  expect(requestedValues(someApproval({ ...parts, input: {} }))).toEqual(["95"]);
});

it("a call that nobody has edited names none", () => {
  expect(requestedValues(someApproval({ summaryParts: sentence(30, "A-1") }))).toEqual([]);
});
