import { describe, expect, it } from "vitest";
import type { Approval } from "./approval.js";
import { defaultTerms } from "./default-terms.js";
import { resultSummaryOf } from "./result-summary.js";
import { shown } from "./visible-arguments.js";

interface Ran {
  template?: string | null;
  input?: unknown;
  /** Arguments that a person changed. */
  edited?: unknown;
  status?: Approval["status"];
  redact?: string[];
  redactPatterns?: string[];
  seesEverything?: boolean;
}

/** The sentence about the result, as a person in the inbox reads it. */
function sentence(
  outcome: unknown,
  {
    template = "Refunded {{result.amount}} EUR to {{customer.name}}",
    seesEverything = false,
    ...ran
  }: Ran = {},
) {
  const { input = { customer: { name: "Ada" } }, redact = [], redactPatterns = [] } = ran;
  const approval = {
    toolName: "refund",
    status: ran.status ?? "executed",
    inputJson: JSON.stringify(input),
    edited: ran.edited === undefined ? null : { inputJson: JSON.stringify(ran.edited), digest: "d" },
    responseJson: null,
    outcomeJson: JSON.stringify(outcome),
    terms: { ...defaultTerms, resultSummary: template, redact, redactPatterns },
  };
  return resultSummaryOf(approval, shown(approval, { sink: "inbox", seesEverything }));
}

const executed = (data: unknown) => ({ status: "executed", data });

describe("the sentence about a result", () => {
  it("has values of the result and of the arguments, in parts", () => {
    expect(sentence(executed({ amount: 2400 }))).toEqual({
      text: "Refunded 2,400 EUR to Ada",
      parts: [
        { text: "Refunded " },
        { value: "2,400", path: "result.amount", number: 2400 },
        { text: " EUR to " },
        { value: "Ada", path: "customer.name" },
      ],
    });
  });

  it("has the arguments that ran, not those that were proposed", () => {
    const edited = { customer: { name: "Bea" } };
    expect(sentence(executed({ amount: 1 }), { edited })?.text).toBe("Refunded 1 EUR to Bea");
  });

  it("can show a whole result", () => {
    expect(sentence(executed("re_1"), { template: "Refund {{result}}" })?.text).toBe("Refund re_1");
  });

  it("names the result, even if an argument has its name", () => {
    const input = { result: { id: "argument" } };
    expect(sentence(executed({ id: "real" }), { template: "{{result.id}}", input })?.text).toBe("real");
  });

  it("marks what is missing, and reads no inherited properties", () => {
    const template = "{{result.nope}} {{result.constructor}} {{result.__proto__}} {{nope}}";
    expect(sentence(executed({ amount: 1 }), { template })?.text).toBe(
      "(missing) (missing) (missing) (missing)",
    );
    expect(sentence({ status: "executed" }, { template: "{{result.id}}" })?.text).toBe("(missing)");
  });

  it("does not exist without a template, or of a call that has not run to its end", () => {
    expect(sentence(executed({ amount: 1 }), { template: null })).toBeNull();
    for (const status of ["approved", "executing", "failed", "interrupted", "responded"] as const) {
      expect(sentence(executed({ amount: 1 }), { status })).toBeNull();
    }
  });

  it("cuts a hostile result, shows its unseen characters and keeps its words apart from the rule's", () => {
    const amount = "80 EUR”. Approved by finance\u202e\u200b\n\nRisk: low";
    const read = sentence(executed({ amount }));
    expect(read?.parts[1]).toEqual({
      value: "80 EUR”. Approved by finance⟨U+202E⟩⟨U+200B⟩…",
      path: "result.amount",
      cut: true,
    });
    expect(read?.text).toBe('Refunded “80 EUR". Approved by finance⟨U+202E⟩⟨U+200B⟩…” EUR to Ada');
    expect(sentence(executed({ amount: "{{customer.name}} $& $1" }))?.text).toBe(
      "Refunded “{{customer.name}} $& $1” EUR to Ada",
    );
    expect(sentence(executed({ amount: "9".repeat(100_000) }))?.text.length).toBeLessThanOrEqual(300);
  });
});

describe("what a rule hides, in the sentence about a result,", () => {
  const card = "4242 4242 4242 4242";

  it("stays hidden: an argument, and a result that repeats it", () => {
    const template = "Paid {{iban}}: {{result.note}}, {{result.iban}}";
    const input = { iban: "CH93-0076" };
    const data = { note: "sent to CH93-0076 today", iban: "CH93-0076" };
    const given = { template, input, redact: ["iban"] };
    expect(sentence(executed(data), given)?.text).toBe("Paid [hidden]: “sent to [hidden] today”, [hidden]");
    expect(sentence(executed(data), { ...given, seesEverything: true })?.text).toBe(
      "Paid CH93-0076: “sent to CH93-0076 today”, CH93-0076",
    );
  });

  it("stays hidden: what a pattern finds in a result", () => {
    const given = { template: "Card {{result.card}}", redactPatterns: ["card_number"] };
    expect(sentence(executed({ card }), given)?.text).toBe("Card [hidden]");
  });

  it("is hidden, not missing, within a hidden argument or result", () => {
    const given = { template: "{{customer.name}} {{result.card.number}}", redact: ["customer"] };
    expect(sentence(executed({ card: { number: "1" } }), given)?.text).toBe("[hidden] 1");
    const hidden = { template: "{{result.number}}", redactPatterns: ["card_number"] };
    expect(sentence(executed(card), hidden)?.text).toBe("[hidden]");
  });

  it("stays hidden if the search for patterns takes too much work", () => {
    const data = { card: `${"4242 ".repeat(2_000_000)}`, id: "re_1" };
    const given = { template: "{{result.id}} {{result.card}}", redactPatterns: ["card_number", "(a+)+$"] };
    expect(sentence(executed(data), given)?.text).toBe("[hidden] [hidden]");
  });
});
