import { afterEach, describe, expect, it } from "vitest";
import { de } from "../../words/de/index.js";
import { en } from "../../words/en/index.js";
import { writeAs } from "../../words/locale.js";
import { speak } from "../../words/words.js";
import { historyParts } from "./history-text.js";

const call = { requesterId: "ada", toolName: "issue_refund", label: null, units: {}, names: {} };
const history = { calls: 41, more: false, approved: 40, denied: 1, amount: null, newValues: [] };

afterEach(() => {
  speak(en);
  writeAs("en");
});

describe("the line about earlier calls", () => {
  it("says what was decided, and what is unusual", () => {
    const amount = { path: "amount", median: 38, times: 8.02 };
    expect(historyParts({ ...call, history: { ...history, amount, newValues: ["orderId"] } })).toEqual([
      { text: "41 other requests for ada in 30 days", stands: false, counts: "decided" },
      { text: "40 approved", stands: false, counts: "approved" },
      { text: "1 denied", stands: false, counts: "denied" },
      { text: "8 × the usual amount of 38", stands: true },
      { text: "New order id: none of those approved had it", stands: true },
    ]);
  });

  it.each([
    [3, "3 × the usual amount of 2,400"],
    [8.04, "8 × the usual amount of 2,400"],
    [125.4, "125 × the usual amount of 2,400"],
  ])("names an amount that is %f times the median", (times, text) => {
    const amount = { path: "amount", median: 2400, times };
    expect(historyParts({ ...call, history: { ...history, amount } }).at(-1)).toEqual({ text, stands: true });
  });

  it.each([0.01, 1, 2.99])("says nothing of an amount that is %f times the median", (times) => {
    const amount = { path: "amount", median: 2400, times };
    expect(historyParts({ ...call, history: { ...history, amount } })).toHaveLength(3);
  });

  it("has the unit that the call's rule gives the amount", () => {
    const amount = { path: "amount", median: 38, times: 8 };
    const units = { amount: "EUR" };
    expect(historyParts({ ...call, units, history: { ...history, amount } }).at(-1)?.text).toBe(
      "8 × the usual 38 EUR",
    );
  });

  it("calls the call and its arguments what the rules call them", () => {
    const named = { ...call, label: "Refund", names: { amount: "Sum", "order.id": "Order" } };
    const amount = { path: "amount", median: 38, times: 8 };
    const parts = historyParts({ ...named, history: { ...history, amount, newValues: ["order.id"] } });
    expect(parts.slice(-2).map(({ text }) => text)).toEqual([
      "8 × the usual Sum of 38",
      "New Order: none of those approved had it",
    ]);
    expect(historyParts({ ...named, history: { ...history, calls: 0 } })[0]?.text).toBe(
      "First refund for ada in 30 days, of those you can see",
    );
  });

  it("is short where there is nothing to say", () => {
    expect(historyParts({ ...call, history: { ...history, calls: 0 } })).toEqual([
      { text: "First request of issue_refund for ada in 30 days, of those you can see", stands: false },
    ]);
    expect(historyParts({ ...call, requesterId: null, history })).toEqual([]);
    expect(historyParts(call)).toEqual([]);
    expect(historyParts({ ...call, history: { ...history, calls: 1, more: true } })[0]?.text).toBe(
      "1 or more other requests for ada in 30 days",
    );
  });

  it("writes numbers as in the reader's language", () => {
    speak(de);
    writeAs("de");
    const amount = { path: "amount", median: 2400.5, times: 3.3 };
    expect(historyParts({ ...call, history: { ...history, calls: 1200, amount } })).toEqual([
      { text: "1.200 weitere Vorgänge für ada in 30 Tagen", stands: false, counts: "decided" },
      { text: "40 freigegeben", stands: false, counts: "approved" },
      { text: "1 abgelehnt", stands: false, counts: "denied" },
      { text: "amount: 3,3-mal so viel wie üblich (2.400,50)", stands: true },
    ]);
  });
});
