import { describe, expect, it } from "vitest";
import type { SafetyCheck } from "../safety-checks/safety-check.js";
import { CountersignError } from "../shared/errors.js";
import { definePolicy } from "./define-policy.js";
import { allow, ask, deny, notify } from "./rules/verdict.js";

const kindFor = (tools: Parameters<typeof definePolicy>[0]["tools"], toolName: string) =>
  definePolicy({ tools }).evaluate({ toolName, input: {} }).kind;

describe("a policy", () => {
  it("denies a tool that no rule covers", () => {
    expect(kindFor({ lookup: allow() }, "wire_money")).toBe("deny");
  });

  it("matches exact names and globs, and no other names", () => {
    expect(kindFor({ "github-*": ask() }, "github-delete_repo")).toBe("ask");
    expect(kindFor({ "github-*": ask() }, "gitlab-delete_repo")).toBe("deny");
    expect(kindFor({ refund: allow() }, "refund_all")).toBe("deny");
  });

  it("gives the verdict of the strictest matching rule, whatever the order of the rules", () => {
    const rules = [
      ["refund", allow()],
      ["re*", ask()],
      ["*fund", deny()],
    ] as const;
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const tools = Object.fromEntries(order.map((index) => rules[index] as (typeof rules)[number]));
      expect(kindFor(tools, "refund")).toBe("deny");
    }
  });

  it("has a version that changes with its rules, and not with their order", () => {
    const version = (tools: Parameters<typeof definePolicy>[0]["tools"]) => definePolicy({ tools }).version;
    expect(version({ a: allow(), b: ask() })).toBe(version({ b: ask(), a: allow() }));
    expect(version({ a: allow() })).not.toBe(version({ a: ask() }));
    expect(version({ a: ask() })).not.toBe(version({ a: ask({ approvers: { roles: ["finance"] } }) }));
  });

  it("merges the safety checks of all matching rules, whatever their order, and leaves the given ones as they are", () => {
    const balance = { name: "balance", run: () => true };
    const hours = { name: "hours", run: () => true, calls: 0 };
    const tools = { pay: ask({ checks: [hours] }), "*": notify({ checks: [balance] }), "p*": () => ask() };
    const [forwards, backwards] = [tools, Object.fromEntries(Object.entries(tools).reverse())].map((tools) =>
      definePolicy({ tools }).evaluate({ toolName: "pay", input: {} }),
    );
    expect(forwards?.terms.checks.map(({ name }) => name)).toEqual(["balance", "hours"]);
    expect(backwards?.terms.checks).toEqual(forwards?.terms.checks);
    definePolicy({ tools: { pay: ask({ checks: [hours] }) } }).evaluate({ toolName: "pay", input: {} });
    expect([Object.isFrozen(hours), Object.isFrozen(hours.run)]).toEqual([false, false]);
  });

  it("refuses safety checks of a call that it allows, because nobody would run them", () => {
    const tools = { pay: { kind: "allow" as const, checks: [{ name: "balance", run: () => false }] } };
    expect(() => definePolicy({ tools })).toThrow(
      "tools.pay.checks: a call that is allowed has no checks of its rules; write notify({ checks })",
    );
    expect(kindFor({ pay: () => tools.pay }, "pay")).toBe("deny");
  });

  it("has a version that changes with the source of a safety check", () => {
    const version = (run: () => boolean): string =>
      definePolicy({ tools: { pay: ask({ checks: [{ name: "balance", run }] }) } }).version;
    expect(version(() => true)).toBe(version(() => true));
    expect(version(() => true)).not.toBe(version(() => false));
  });

  it.each<[unknown[], RegExp]>([
    [[], /tools\.pay\.checks: /],
    [[{ run: () => true }], /tools\.pay\.checks\.0\.name: /],
    [[{ name: " balance", run: () => true }], /checks\.0\.name: must be 1 to 60 visible characters/],
    [[{ name: "a\u202eb", run: () => true }], /checks\.0\.name: must be 1 to 60 visible characters/],
    [[{ name: "x".repeat(61), run: () => true }], /checks\.0\.name: must be 1 to 60 visible characters/],
    [[{ name: "balance", run: true }], /checks\.0\.run: must be a function/],
  ])("refuses the safety checks %j, and denies if a rule returns them", (checks, problem) => {
    const verdict = ask({ checks: checks as unknown as SafetyCheck[] });
    expect(() => definePolicy({ tools: { pay: verdict } })).toThrow(problem);
    expect(kindFor({ pay: () => verdict }, "pay")).toBe("deny");
  });

  it("reports which rule and field is invalid", () => {
    const define = () => definePolicy({ tools: { refund: ask({ timeout: "soon" }) } });
    expect(define).toThrow(CountersignError);
    expect(define).toThrow(/tools\.refund\.timeout: must be a duration/);
  });

  it.each<[string, unknown, string]>([
    ["a default as a word", { default: "allow", tools: {} }, "default: is not a verdict; write allow()"],
    ["another name of the default", { defaultVerdict: "allow", tools: {} }, "write default: allow()"],
    ["rules", { rules: [{ tools: "a", verdict: "ask" }] }, "rules: unknown field; write tools: { send_email"],
    ["a misspelled field", { tools: {}, profile: {} }, 'profile: unknown field; did you mean "profiles"?'],
    ["no tools", {}, "tools: is missing; write tools: { send_email: ask()"],
    ["a list of tools", { tools: ["a"] }, "and default: allow() to run all other tools"],
    ["a verdict as a word", { tools: { a: "ask" } }, "tools.a: is not a verdict; write ask()"],
    ["a supervision level", { tools: { a: "confirm" } }, "tools.a: is not a verdict; write ask()"],
    [
      "a verdict as in files",
      { tools: { a: { verdict: "deny" } } },
      "tools.a: is not a verdict; write deny()",
    ],
    ["a verdict's function", { tools: { a: ask } }, "tools.a: is not a verdict; write ask()"],
    ["another value", { tools: { a: 5 } }, "tools.a: is not a verdict; write allow(), notify(), ask()"],
    [
      "a misspelled term",
      { tools: { a: { kind: "ask", aprovers: {} } } },
      'tools.a.aprovers: unknown field; did you mean "approvers"?',
    ],
    [
      "a misspelled term within a term",
      { tools: { a: { kind: "ask", approvers: { rols: ["x"] } } } },
      'tools.a.approvers.rols: unknown field; did you mean "roles"?',
    ],
    [
      "a list in a profile",
      { tools: {}, profiles: { p: { tools: [] } } },
      "profiles.p.tools: must be verdicts",
    ],
    ["an unknown field of mcp", { tools: {}, mcp: { servers: [] } }, "the fields are trustedServers"],
    ["no definition", undefined, "definePolicy() requires a set of fields"],
  ])("refuses %s and says what to write", (_what, definition, message) => {
    expect(() => definePolicy(definition as never)).toThrow(
      expect.objectContaining({ code: "invalid_policy", message: expect.stringContaining(message) }),
    );
  });

  it.each<[string, (given: never) => unknown, unknown, string]>([
    ["terms of allow()", allow, { notify: ["email"] }, "allow() takes no terms"],
    ["a reason of ask() that is no term", ask, "Why", 'write ask({ reason: "Why" })'],
    ["a reason of deny() as a term", deny, { reason: "Why" }, 'write deny("Why")'],
  ])("refuses %s", (_what, verdict, given, message) => {
    expect(() => verdict(given as never)).toThrow(message);
  });
});
