import fc from "fast-check";
import { policyOf } from "../../support/policy-of.js";

/** What becomes of a call, by the name of its tool. Each response may hold several of them. */
export const fates = {
  /** Allowed within a limit over time. */
  "desk-limited": "executed",
  "desk-notified": "executed",
  "desk-approved": "executed",
  "desk-denied": "denied",
  /** A person supplies the result instead of the tool. */
  "desk-manual": "responded",
  "desk-forbidden": "denied",
  /** Waits for people after all others, so that every run is replayed behind them. */
  "desk-last": "executed",
} as const;

export type ToolName = keyof typeof fates;
export const toolNames = Object.keys(fates) as ToolName[];

export const policy = policyOf(
  [
    { tools: "desk-limited", verdict: "allow" },
    { tools: "desk-limited", verdict: "ask", when: 'spent("desk-limited", "amount", "24h") > 100000' },
    { tools: "desk-notified", verdict: "notify" },
    { tools: ["desk-approved", "desk-denied", "desk-last"], verdict: "ask" },
    { tools: "desk-manual", verdict: "manual" },
    { tools: "desk-forbidden", verdict: "deny" },
  ],
  { profiles: { script: { rules: [] } } },
);

export interface Call {
  name: ToolName;
  input: Record<string, unknown>;
}

/** The responses of a model, in their order. */
export type Script = Call[][];

/** An object whose keys are not in the order in which they sort, as models write them. */
const unsorted = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(
      fc.uniqueArray(fc.constantFrom("to", "order", "note", "é", "B", "10", "zeta"), {
        minLength: 2,
        maxLength: 4,
      }),
      fc.array(values, { minLength: 4, maxLength: 4 }),
    )
    .map(([keys, items]) => {
      const [first = "", second = "", ...others] = keys;
      const order = first < second ? [second, first, ...others] : keys;
      return Object.fromEntries(order.map((key, index) => [key, items[index]]));
    });

const leaf = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const nested = unsorted(fc.oneof(leaf, fc.array(unsorted(leaf), { maxLength: 2 })));

const input = fc
  .tuple(fc.integer({ min: 1, max: 20 }), nested, nested)
  .map(([amount, order, by]) => ({ order, by, amount }));

/** Calls of these tools, spread over responses. The last one has a response of its own. */
export function scriptOf(tools: readonly ToolName[]): fc.Arbitrary<Script> {
  const first = tools.filter((name) => name !== "desk-last");
  return fc
    .record({
      order: fc.shuffledSubarray(first, { minLength: first.length }),
      ends: fc.array(fc.boolean(), { minLength: first.length, maxLength: first.length }),
      inputs: fc.array(input, { minLength: tools.length, maxLength: tools.length }),
    })
    .map(({ order, ends, inputs }) => {
      const script: Script = [[]];
      for (const [index, name] of order.entries()) {
        script.at(-1)?.push({ name, input: inputs[index] ?? {} });
        if (ends[index]) script.push([]);
      }
      const last = { name: "desk-last" as const, input: inputs.at(-1) ?? {} };
      return [...script.filter((response) => response.length > 0), [last]];
    });
}
