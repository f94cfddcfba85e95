import { describe, expect, it } from "vitest";
import { compileCondition } from "../rules/condition.js";

/** The error of a condition that is refused, or else its warnings. */
function said(text: string): string {
  try {
    return compileCondition(text).warnings.join("; ");
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe("a condition is refused if it reads a field that is never set:", () => {
  it.each([
    ['principal.role == "lead"', 'principal.role: unknown field; did you mean "roles"?'],
    ['principal["role"] == "lead"', 'principal["role"]: unknown field; did you mean "roles"?'],
    ["has(principal.role)", 'has(principal.role): unknown field; did you mean "roles"?'],
    ['principal.tenantId == "acme"', "principal.tenantId: unknown field; it has only id and roles"],
    ['thread.user == "ada"', "thread.user: unknown field; it has only id"],
    ['tool.names == "refund"', 'tool.names: unknown field; did you mean "name"?'],
    ["tool.constructor == input.x", "tool.constructor: unknown field; it has only name"],
  ])("%s", (text, message) => {
    expect(said(text)).toBe(message);
  });
});

describe("a condition gets a warning with what to write if its values are of two kinds:", () => {
  it.each([
    ['input.amount > "500"', "write input.amount > 500"],
    ['"0.5" <= input.share', "write 0.5 <= input.share"],
    ['calls("refund", "1h") > "5"', 'write calls("refund", "1h") > 5'],
    ['reversible == "true"', "write reversible == true"],
    ['principal.roles == "lead"', 'write "lead" in principal.roles'],
    ['"lead" != principal.roles', 'write !("lead" in principal.roles)'],
    ["principal.id == 42", 'write principal.id == "42"'],
    ['tool == "refund"', 'write tool.name == "refund"'],
    ['principal == "ada"', 'write principal.id == "ada"'],
    ['size(input.to) > "3"', "write size(input.to) > 3"],
  ])("%s", (text, fix) => {
    expect(said(text)).toMatch(/cannot be (evaluated|compared)/);
    expect(said(text).endsWith(`; ${fix}`)).toBe(true);
  });

  it.each([
    'input.orderId == "500"',
    'input.date > "2026-01-01"',
    'tool.name > "5"',
    "principal == null",
    "principal != null && principal.roles == input.roles",
    'input.people.exists(principal, principal.role == "lead")',
    '"lead" in principal.roles && thread.id != "5"',
  ])("but not %s", (text) => {
    expect(said(text)).toBe("");
  });
});

describe("a condition with an operator of another language is refused with what to write:", () => {
  it.each([
    ["input.amount = 500", 'write "==" instead of "="'],
    ["input.amount === 500", 'write "==" instead of "==="'],
    ["input.amount !== 500", 'write "!=" instead of "!=="'],
    ["input.amount >> 500", 'write ">" instead of ">>"'],
    ["input.amount => 500", 'write ">=" instead of "=>"'],
    ["input.a > 1 and input.b > 2", 'write "&&" instead of "and"'],
    ["input.a > 1 OR input.b > 2", 'write "||" instead of "OR"'],
    ["not input.force", 'write "!" instead of "not"'],
    ["input.a & input.b", 'write "&&" instead of "&"'],
  ])("%s", (text, fix) => {
    expect(said(text).endsWith(`; ${fix}`)).toBe(true);
  });

  it("but not for other mistakes", () => {
    expect(said('input.a == "not" input.b')).not.toContain("instead of");
    expect(said("input.a >")).toBe("Unexpected token: EOF");
  });
});

describe("a condition with an unknown name is refused with what to write:", () => {
  it.each([
    ["amount > 500", "did you mean input.amount?"],
    ["total > 500", "did you mean input.total?"],
    ["imput.amount > 500", "did you mean input?"],
    ["inptu.amount > 500", "did you mean input?"],
    ['"lead" in roles', "did you mean principal.roles?"],
    ['user.id == "ada"', "did you mean principal?"],
    ["now > input.until", "conditions know no current time; let the app choose a profile"],
    ["now() > timestamp(input.until)", "conditions know no current time; let the app choose a profile"],
    [
      "hour < 9",
      "conditions know no current time; let the app choose a profile by the time, or write a check in code; for an argument, write input.hour",
    ],
  ])("%s", (text, fix) => {
    expect(said(text)).toContain(`; ${fix}`);
  });
});
