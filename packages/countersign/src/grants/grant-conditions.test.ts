import { TooMuchWork } from "@countersign/policy/internal/bounded/work-limit";
import { describe, expect, it } from "vitest";
import { defaultTerms } from "../approval/default-terms.js";
import type { GrantedCall } from "../approval/grant.js";
import { GrantConditions } from "./grant-conditions.js";

const callWith = (input: object, terms: Partial<GrantedCall["terms"]> = {}): GrantedCall => ({
  toolName: "refund",
  inputJson: JSON.stringify(input),
  policyContext: { principal: { id: "u", roles: ["agent"] }, profile: null, mcp: null },
  threadId: "t",
  terms: { ...defaultTerms, ...terms },
});
const judge = (condition: string, call: GrantedCall, authorSeesAll = false) =>
  new GrantConditions().judge(condition, call, authorSeesAll);
const hold = (condition: string, call: GrantedCall, authorSeesAll = false) =>
  new GrantConditions().hold(condition, call, authorSeesAll);

function thrownBy(work: () => unknown): Partial<Error & { summary: string }> {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("It did not throw");
}

describe("a grant's condition", () => {
  const call = callWith({ amount: 80, id: "A-1" });

  it.each([
    ["input.amount <= 80", true],
    ['input["amount"] <= 80 && input["id"] == "A-1" && size(input) == 2', true],
    ['thread.id == "t" && principal.id == "u" && tool.name == "refund"', true],
    ["input.amount > 80", false],
  ])("evaluates %s to %s", (condition, holds) => {
    expect(judge(condition, call)).toBe(holds);
    expect(hold(condition, call)).toBe(holds);
  });

  it.each([
    "input.missing < 1",
    "input.id < 1",
    "input.id == 1",
    "input.amount",
    "input.amount <",
    "other > 1",
    'input.id in ["A-1", 1]',
  ])("does not hold if it cannot be evaluated: %s", (condition) => {
    expect(() => judge(condition, call)).toThrow(expect.objectContaining({ name: "ConditionError" }));
    expect(hold(condition, call)).toBe(false);
  });
});

describe("a grant's condition on an input with hidden values", () => {
  const secret = "S-4711";
  const call = callWith(
    {
      pin: secret,
      n: 4711,
      card: { number: secret, name: "A" },
      body: `Card ${secret}, thanks`,
      amount: 5,
      list: [secret],
    },
    { redact: ["pin", "n", "card.number", "list.*"], redactPatterns: ["S-\\d+"] },
  );

  it.each([
    '{"a": 1}[input.pin] == 1',
    "duration(input.pin) == duration('1s')",
    "bool(input.pin)",
    'input.body.matches("S-4")',
    "[1][input.n] == 1",
    'input.pin == "S-4711"',
    'input.pin != "S-4712"',
    "input.pin == null",
    "input.n > 4000",
    "input.n > 5000",
    'input.card == {"number": "S-4711", "name": "A"}',
    'input.card.number.startsWith("S")',
    'input.body.contains("4711")',
    'input.body.contains("thanks")',
    'input.pin in ["S-4711"]',
    '"S-4711" in input.list',
    'input.list.exists(item, item == "S-4711")',
    'input.list == ["S-4711"]',
    "type(input.pin) == string",
    "input.pin == input.pin",
    'input.pin == "S-4711" || true',
    "has(input.pin.length)",
    "input.pin",
    '[input.pin].join() == "S-4711"',
    "size(string(input.pin)) == 6",
  ])("cannot read a hidden value: %s", (condition) => {
    const error = thrownBy(() => judge(condition, call));
    expect(error).toMatchObject({ name: "ConditionError" });
    expect(error.summary).not.toContain("4711");
    expect(hold(condition, call)).toBe(false);
  });

  it("fails with the same error whatever the hidden value is", () => {
    const summaries = ["S-4711", "S-4712", "other", 4711, true, null, ["S-4711"], {}].map((pin) => {
      const other = callWith({ pin }, { redact: ["pin"] });
      return thrownBy(() => judge('input.pin == "S-4711"', other)).summary;
    });
    expect(new Set(summaries)).toEqual(
      new Set(["at character 1, this reads a value that is hidden from the condition's author"]),
    );
  });

  it.each([
    ['input.amount == 5 && has(input.pin) && input.card.name == "A"', true],
    ["size(input.list) == 1", true],
    ["size(input) == 6", true],
    ["input.amount > 5", false],
  ])("may read the visible values: %s", (condition, holds) => {
    expect(judge(condition, call)).toBe(holds);
  });

  it("may read hidden values if its author sees everything", () => {
    expect(judge('input.pin == "S-4711" && input.body.contains("4711")', call, true)).toBe(true);
    const conditions = new GrantConditions();
    expect(conditions.hold('input.pin == "S-4711"', call, false)).toBe(false);
    expect(conditions.hold('input.pin == "S-4711"', call, true)).toBe(true);
    expect(conditions.hold('input.pin == "S-4711"', call, false)).toBe(false);
  });
});

describe("the evaluation of grant conditions", () => {
  const nested = `input.l.all(a, input.l.all(b, input.l.all(c, a + b + c >= 0.0)))`;
  const call = callWith({ body: "a".repeat(5_000), l: Array.from({ length: 300 }, () => 1) });

  it.each([
    ["backtracking", '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".matches("^(a+)+$")'],
    ["nested loops", nested],
    ["a pattern that repeats itself", `input.body.matches("${"a{900}".repeat(100)}")`],
    ["lists that double", `${"[1,1].map(a, [1,1].map(b, ".repeat(12)}1${"))".repeat(12)} == []`],
    ["types that double", `${"[{".repeat(60)}"a": 1${"}]".repeat(60)} == []`],
  ])("stops for %s", (_what, condition) => {
    expect(hold(condition, call)).toBe(false);
  });

  it("stops 1,000 conditions about one call after the work of one", () => {
    const conditions = new GrantConditions();
    for (let index = 0; index < 1_000; index += 1) {
      const condition = `${nested} && input.n != ${index}`;
      expect(() => conditions.judge(condition, call, false)).toThrow(TooMuchWork);
    }
  });

  it("costs the same whether this process has compiled a condition before", () => {
    const condition = (n: number) => `${"input.n == 1 || ".repeat(60)}input.n == ${n}`;
    const heldBefore = () => {
      const conditions = new GrantConditions();
      return Array.from({ length: 100 }, (_, n) => conditions.hold(`!(${condition(n)})`, call, false));
    };
    const first = heldBefore();
    expect(first).toContain(false);
    expect(heldBefore()).toEqual(first);
  });
});

describe("a grant's condition over effects", () => {
  const preview = (...targets: string[]) => ({
    effectsJson: JSON.stringify(targets.map((target) => ({ target }))),
    stateHash: "",
    reversible: "30m",
  });
  const few = "effects.size() < 2 && reversible";

  it("reads those that the call's preview found", () => {
    expect(hold(few, callWith({}, { preview: preview("a") }))).toBe(true);
    expect(hold(few, callWith({}, { preview: preview("a", "b") }))).toBe(false);
    expect(hold("!(effects.size() < 2)", callWith({}, { preview: null }))).toBe(false);
    expect(hold("!(effects.size() < 2)", callWith({}, { preview: { failed: "late" } }))).toBe(false);
  });

  it("reads none if its author may not see what they could repeat", () => {
    const hiding = callWith({}, { preview: preview("a"), redact: ["card"] });
    expect(hold(few, hiding)).toBe(false);
    expect(hold(few, hiding, true)).toBe(true);
    expect(hold(few, callWith({}, { preview: preview("a"), redactPatterns: ["email"] }))).toBe(false);
  });
});
