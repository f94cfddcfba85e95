import { describe, expect, it } from "vitest";
import { callHistory, type SimilarCall } from "./call-history.js";
import { defaultTerms } from "./default-terms.js";

const terms = {
  ...defaultTerms,
  summaryParts: [
    { text: "Refund " },
    { value: "80", path: "amount" },
    { text: " EUR for " },
    { value: "A-1", path: "orderId" },
  ],
};

interface Reading {
  more?: boolean;
  /** What the call's rules hide from the reader. */
  redact?: string[];
  seesEverything?: boolean;
}

const historyOf = (
  input: object,
  similar: readonly SimilarCall[],
  { more = false, redact = [], seesEverything = false }: Reading = {},
) =>
  callHistory({ terms: { ...terms, redact }, inputJson: JSON.stringify(input) }, similar, {
    more,
    seesEverything,
  });

const call = (
  amount: unknown,
  orderId: string,
  decisionType: SimilarCall["decisionType"] = "approve",
): SimilarCall => ({
  decisionType,
  inputJson: JSON.stringify({ amount, orderId }),
  redact: [],
  redactPatterns: [],
});

describe("the history of a call", () => {
  it("compares its amount with the median of what was approved, and finds what is new", () => {
    const similar = [call(10, "A-1"), call(30, "A-2"), call(20, "A-1"), call(20, "A-2")];
    similar.push(call(9_000, "A-4", "deny"));
    expect(historyOf({ amount: 160, orderId: "A-9" }, similar)).toEqual({
      calls: 5,
      more: false,
      approved: 4,
      denied: 1,
      amount: { path: "amount", median: 20, times: 8 },
      newValues: ["orderId"],
    });
    expect(historyOf({ amount: 20, orderId: "A-2" }, similar, { more: true })).toMatchObject({
      more: true,
      newValues: [],
      amount: { times: 1 },
    });
  });

  it("finds nothing new where hardly any value comes twice", () => {
    const orders = ["A-1", "A-2", "A-3", "A-3", "A-4"].map((order) => call(20, order));
    const mine = { amount: 20, orderId: "A-9" };
    expect(historyOf(mine, orders)).toMatchObject({ newValues: [] });
    expect(historyOf(mine, [...orders, ...orders])).toMatchObject({ newValues: ["orderId"] });
  });

  it("says nothing about what is usual after few calls", () => {
    const similar = [call(10, "A-1"), call(30, "A-2")];
    expect(historyOf({ amount: 160, orderId: "A-9" }, similar)).toMatchObject({
      calls: 2,
      approved: 2,
      amount: null,
      newValues: [],
    });
    expect(historyOf({ amount: 160 }, [])).toMatchObject({ calls: 0, amount: null });
  });

  it("compares nothing that is long or of another kind", () => {
    const long = { ...call(15, "A-3"), inputJson: null };
    const similar = [call("10", "A-1"), call(30, "A-2"), call(20, "A-3"), long];
    expect(historyOf({ amount: 160, orderId: "A-1" }, similar)).toMatchObject({
      approved: 4,
      amount: null,
      newValues: [],
    });
  });

  it("compares nothing that is hidden from the reader, in this call or in another", () => {
    const similar = [call(10, "A-1"), call(30, "A-2"), call(20, "A-1"), call(20, "A-2")];
    const mine = { amount: 160, orderId: "A-9" };
    const nothing = { amount: null, newValues: [] };
    expect(historyOf(mine, similar, { redact: ["amount", "orderId"] })).toMatchObject(nothing);
    const hidden = similar.map((each) => ({ ...each, redact: ["amount"], redactPatterns: ["A-\\d"] }));
    expect(historyOf(mine, hidden)).toMatchObject({ amount: null });
    expect(historyOf(mine, hidden, { seesEverything: true })).toMatchObject({
      amount: { median: 20 },
      newValues: ["orderId"],
    });
    // One that is hidden may be this one.
    expect(historyOf(mine, [...similar, ...hidden.slice(0, 1)])).toMatchObject({ newValues: [] });
  });
});
