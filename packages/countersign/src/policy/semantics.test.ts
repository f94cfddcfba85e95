// One table of behaviours, long because each row is one: splitting it would scatter what is meant to be read together.
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { compilePolicy } from "./compile-policy.js";
import { definePolicy, type PolicyDefinition } from "./define-policy.js";
import type { Policy } from "./policy.js";
import type { Layer, McpFacts, PolicyCall } from "./policy-call.js";
import { compileRule, RuleProblem } from "./rules/compile-rule.js";
import { checkedRuleSchema, profileName, type VerdictKind } from "./rules/rule.js";
import { threadRules } from "./rules/thread-rules.js";
import { allow, ask, deny, manual, notify } from "./rules/verdict.js";

type Written = z.input<typeof checkedRuleSchema>;

/** A policy of rules as a file has them; `defaults` are verdicts, one of each layer that sets one. */
function written(
  rules: readonly (Written & { layer?: Layer; profile?: string })[],
  defaults: VerdictKind[] = [],
) {
  return compilePolicy([
    {
      rules: rules.map(({ layer = "code", profile, ...rule }, index) =>
        compileRule(checkedRuleSchema.parse(rule), {
          layer,
          place: `rules.${index}`,
          ...(profile === undefined ? {} : { profile }),
        }),
      ),
      defaults: defaults.map((kind) => ({ layer: "defaults", verdict: { kind } })),
      profiles: Object.fromEntries(rules.flatMap(({ profile }) => (profile ? [[profile, []]] : []))),
      trustedServers: [],
      material: rules,
    },
  ]);
}

const kindOf = (policy: Policy, toolName: string, call: Partial<PolicyCall> = {}) =>
  policy.evaluate({ toolName, input: {}, ...call }).kind;
const withInput = (policy: Policy, toolName: string, input: unknown) => kindOf(policy, toolName, { input });
const code = (tools: PolicyDefinition["tools"], more: Omit<PolicyDefinition, "tools"> = {}) =>
  definePolicy({ tools, ...more });
const problemOf = (rule: Written) => {
  try {
    written([rule]);
  } catch (error) {
    if (error instanceof RuleProblem) return `${error.field}: ${error.message}`;
    throw error;
  }
  return "no problem";
};

describe("seed 1 (adh-cli): levels of supervision", () => {
  const policy = written([
    { tools: "read_file", verdict: "allow", risk: "low" },
    { tools: "list_directory", verdict: "notify" },
    { tools: "write_file", verdict: "ask", risk: "high" },
    { tools: "restart_server", verdict: "manual" },
    { tools: "delete_file", verdict: "deny", reason: "Files are not deleted here" },
  ]);

  it("seed 1: AUTOMATIC runs", () => expect(kindOf(policy, "read_file")).toBe("allow"));
  it("seed 1: NOTIFY runs and tells", () => expect(kindOf(policy, "list_directory")).toBe("notify"));
  it("seed 1: CONFIRM waits for a person", () => expect(kindOf(policy, "write_file")).toBe("ask"));
  it("seed 1: MANUAL waits for a person's own result, and offers no way to run the tool", () => {
    const { kind, terms } = policy.evaluate({ toolName: "restart_server", input: {} });
    expect(kind).toBe("manual");
    expect(terms.decisions).toEqual(["deny", "respond"]);
  });
  it("seed 1: DENY refuses, with the reason", () => {
    const { kind, terms } = policy.evaluate({ toolName: "delete_file", input: {} });
    expect(kind).toBe("deny");
    expect(terms.reason).toBe("Files are not deleted here");
  });
  it("seed 1: the levels are ordered AUTOMATIC < NOTIFY < CONFIRM < MANUAL < DENY", () => {
    const levels: VerdictKind[] = ["allow", "notify", "ask", "manual", "deny"];
    for (const [index, stricter] of levels.entries()) {
      for (const looser of levels.slice(0, index)) {
        const rules = [
          { tools: "t", verdict: looser },
          { tools: "*", verdict: stricter },
        ];
        expect(kindOf(written(rules), "t")).toBe(stricter);
        expect(kindOf(written(rules.reverse()), "t")).toBe(stricter);
      }
    }
  });
  it("seed 1: the risk of a call is the highest that any of its rules gives", () => {
    const rules: Written[] = [
      { tools: "t", verdict: "ask", risk: "low" },
      { tools: "*", verdict: "ask", risk: "critical" },
      { tools: "t*", verdict: "ask", risk: "high" },
    ];
    expect(written(rules).evaluate({ toolName: "t", input: {} }).terms.risk).toBe("critical");
  });
  it("seed 1: a confirmation is enforced for a path of the arguments too", () => {
    const paths = written([
      { tools: "write_file", verdict: "allow" },
      { tools: "write_file", verdict: "deny", when: 'input.path.startsWith("/etc/")' },
    ]);
    expect(withInput(paths, "write_file", { path: "/tmp/x" })).toBe("allow");
    expect(withInput(paths, "write_file", { path: "/etc/passwd" })).toBe("deny");
  });
  it("adh-cli: an unmatched tool is not run", () => {
    expect(kindOf(policy, "execute_command")).toBe("deny");
    expect(kindOf(policy, "execute")).toBe("deny");
  });
  it("adh-cli: a tool whose only rules are conditions that do not hold is not run", () => {
    const small = written([{ tools: "execute*", verdict: "allow", when: "input.safe == true" }]);
    expect(withInput(small, "execute_command", { safe: false })).toBe("deny");
    expect(withInput(small, "execute_command", {})).toBe("deny");
    expect(withInput(small, "execute_command", { safe: true })).toBe("allow");
  });
});

describe("seed 2 (codemode-bridge): lists and profiles", () => {
  const lists = (profile: { deny?: string[]; ask?: string[]; allow?: string[] }, fallback: VerdictKind) =>
    written(
      [
        ...(profile.deny ? [{ tools: profile.deny, verdict: "deny" as const }] : []),
        ...(profile.ask ? [{ tools: profile.ask, verdict: "ask" as const }] : []),
        ...(profile.allow ? [{ tools: profile.allow, verdict: "allow" as const }] : []),
      ],
      [fallback],
    );
  const safe = lists({ allow: ["time__*", "search_tools", "get_tools"] }, "deny");
  const supervised = lists(
    { deny: ["filesystem__delete_*"], ask: ["filesystem__*", "swf_gitlab__*"] },
    "allow",
  );

  it("seed 2: denylist wins over asklist", () => {
    expect(kindOf(supervised, "filesystem__delete_file")).toBe("deny");
  });
  it("seed 2: asklist asks", () => {
    expect(kindOf(supervised, "filesystem__write_file")).toBe("ask");
    expect(kindOf(supervised, "swf_gitlab__merge")).toBe("ask");
  });
  it("seed 2: with neither list in the way the default allows", () => {
    expect(kindOf(supervised, "time__now")).toBe("allow");
  });
  it("seed 2: an allowlist lets its own tools run", () => {
    expect(kindOf(safe, "time__now")).toBe("allow");
    expect(kindOf(safe, "search_tools")).toBe("allow");
  });
  it("seed 2: with an allowlist everything else is denied", () => {
    expect(kindOf(safe, "filesystem__read_file")).toBe("deny");
    expect(kindOf(safe, "search_tools_all")).toBe("deny");
  });
  it("seed 2: denylist wins over allowlist", () => {
    expect(kindOf(lists({ deny: ["*__delete"], allow: ["files__*"] }, "deny"), "files__delete")).toBe("deny");
  });
  it("seed 2: asklist wins over allowlist", () => {
    expect(kindOf(lists({ ask: ["*__write"], allow: ["files__*"] }, "deny"), "files__write")).toBe("ask");
  });
  it("seed 2: where nobody can be asked, an asklist is a denylist", () => {
    expect(kindOf(lists({ deny: ["files__*"], allow: ["*"] }, "deny"), "files__write")).toBe("deny");
  });
  it("seed 2: a tool of a server that connects later is judged when it is called", () => {
    expect(kindOf(supervised, "filesystem__new_tool_of_tomorrow")).toBe("ask");
    expect(kindOf(safe, "filesystem__new_tool_of_tomorrow")).toBe("deny");
  });
  it("seed 2: a profile's rules hold in that profile only", () => {
    const policy = code({ run: allow() }, { profiles: { safe: { tools: { run: deny() } } } });
    expect(kindOf(policy, "run")).toBe("allow");
    expect(kindOf(policy, "run", { profile: "safe" })).toBe("deny");
  });
  it("seed 2: the base tool stays as it is where no profile is bound", () => {
    const policy = code({ eval: allow() }, { profiles: { supervised: { tools: { eval: ask() } } } });
    expect(kindOf(policy, "eval")).toBe("allow");
  });
  it("seed 2: a model cannot name itself a looser profile, since a profile cannot loosen", () => {
    const policy = code({ run: ask() }, { profiles: { loose: { tools: { run: allow() } } } });
    expect(kindOf(policy, "run", { profile: "loose" })).toBe("ask");
  });
  it("seed 2: a profile that does not exist denies", () => {
    expect(kindOf(code({ run: allow() }), "run", { profile: "nobody_wrote_this" })).toBe("deny");
  });
  it("seed 2: names of profiles are letters, digits and underscores, at most 32", () => {
    for (const name of ["safe", "Safe_2", "a".repeat(32)])
      expect(profileName.safeParse(name).success).toBe(true);
    for (const name of ["", "sa-fe", "sa fe", "a".repeat(33), "säfe", "safe\n"]) {
      expect(profileName.safeParse(name).success).toBe(false);
      expect(() => code({}, { profiles: { [name]: { tools: {} } } })).toThrow(/1 to 32 letters/);
    }
  });
  it("past seed 2: a profile has the rules of those it extends, however far", () => {
    const policy = code(
      { run: allow() },
      {
        profiles: {
          strict: { extends: "middle", tools: {} },
          middle: { extends: ["base"], tools: {} },
          base: { tools: { run: manual() } },
        },
      },
    );
    expect(kindOf(policy, "run", { profile: "strict" })).toBe("manual");
    expect(kindOf(policy, "run", { profile: "base" })).toBe("manual");
    expect(kindOf(policy, "run")).toBe("allow");
  });
  it("past seed 2: profiles that extend each other in a circle are refused when loaded", () => {
    const circle = () =>
      code({}, { profiles: { a: { extends: "b", tools: {} }, b: { extends: "a", tools: {} } } });
    expect(circle).toThrow(/a → b → a/);
    expect(() => code({}, { profiles: { a: { extends: "a", tools: {} } } })).toThrow(/a → a/);
  });
  it("past seed 2: two ways to the same profile are no circle", () => {
    const profiles = {
      a: { extends: ["b", "c"], tools: {} },
      b: { extends: "d", tools: {} },
      c: { extends: "d", tools: {} },
      d: { tools: { run: ask() } },
    };
    expect(kindOf(code({ run: allow() }, { profiles }), "run", { profile: "a" })).toBe("ask");
  });
  it("past seed 2: a typing error in extends is found, with the name that was meant", () => {
    const define = () => code({}, { profiles: { safe: { tools: {} }, b: { extends: "saef", tools: {} } } });
    expect(define).toThrow(/unknown profile "saef"; did you mean "safe"\?/);
  });
});

describe("seed 4 (atlas-ui): require_approval", () => {
  const example = written(
    [
      {
        tools: "code-executor_run_python",
        verdict: "ask",
        decisions: ["approve", "edit", "deny"],
        editable: ["*"],
      },
      {
        tools: "code-executor_run_bash",
        verdict: "ask",
        decisions: ["approve", "edit", "deny"],
        editable: ["*"],
      },
      { tools: "filesystem_write_file", verdict: "ask" },
    ],
    ["allow"],
  );
  const decisionsOf = (policy: Policy, toolName: string) =>
    policy.evaluate({ toolName, input: {} }).terms.decisions;

  it("seed 4: a listed tool needs approval", () =>
    expect(kindOf(example, "filesystem_write_file")).toBe("ask"));
  it("seed 4: most tools need none where require_approval_by_default is false", () => {
    expect(kindOf(example, "calculator_eval")).toBe("allow");
  });
  it("seed 4: allow_edit offers editing", () => {
    expect(decisionsOf(example, "code-executor_run_python")).toEqual(["approve", "edit", "deny"]);
  });
  it("seed 4: without allow_edit there is no editing", () => {
    expect(decisionsOf(example, "filesystem_write_file")).toEqual(["approve", "deny"]);
  });
  it("seed 4, strict mode: only what is exempt runs unasked", () => {
    const strict = written([{ tools: "calculator_eval", verdict: "allow" }], ["ask"]);
    expect(kindOf(strict, "calculator_eval")).toBe("allow");
    expect(kindOf(strict, "filesystem_read_file")).toBe("ask");
  });
  it("seed 4: defaults and overrides differ, and the stricter holds", () => {
    const rules: (Written & { layer: Layer })[] = [
      { tools: "write_file", verdict: "ask", layer: "defaults" },
      { tools: "write_file", verdict: "allow", layer: "overrides" },
    ];
    expect(kindOf(written(rules), "write_file")).toBe("ask");
    expect(kindOf(written(rules.reverse()), "write_file")).toBe("ask");
  });
  it("seed 4: where two layers set a default, the stricter holds", () => {
    expect(kindOf(written([], ["allow", "ask"]), "any")).toBe("ask");
    expect(kindOf(written([], ["ask", "allow"]), "any")).toBe("ask");
    expect(kindOf(written([], ["allow", "deny", "ask"]), "any")).toBe("deny");
  });
  it("seed 4: editing that one layer forbids is not offered", () => {
    const rules: Written[] = [
      { tools: "run", verdict: "ask", decisions: ["approve", "edit", "deny"], editable: ["*"] },
      { tools: "*", verdict: "ask", decisions: ["approve", "deny"] },
    ];
    expect(decisionsOf(written(rules), "run")).toEqual(["approve", "deny"]);
  });
  it("seed 4: a timeout for one tool, the shortest where several are given", () => {
    const rules: Written[] = [
      { tools: "run", verdict: "ask", timeout: "5m" },
      { tools: "*", verdict: "ask", timeout: "300s" },
      { tools: "*n", verdict: "ask", timeout: "1 day" },
    ];
    expect(written(rules).evaluate({ toolName: "run", input: {} }).terms.timeoutMs).toBe(300_000);
    expect(example.evaluate({ toolName: "filesystem_write_file", input: {} }).terms.timeoutMs).toBeNull();
  });
  it("past seed 4: rules for arguments, such as one path that needs no approval", () => {
    const policy = written(
      [
        { tools: "write_file", verdict: "ask", when: '!input.path.startsWith("/tmp/")' },
        { tools: "write_file", verdict: "allow", when: 'input.path.startsWith("/tmp/")' },
      ],
      ["deny"],
    );
    expect(withInput(policy, "write_file", { path: "/tmp/a" })).toBe("allow");
    expect(withInput(policy, "write_file", { path: "/home/a" })).toBe("ask");
    expect(withInput(policy, "write_file", { path: 7 })).toBe("ask");
    expect(withInput(policy, "write_file", {})).toBe("ask");
  });
});

describe("Claude Code: deny > ask > allow", () => {
  const orders = [
    ["deny", "ask", "allow"],
    ["allow", "ask", "deny"],
    ["ask", "deny", "allow"],
  ] as const;

  it("Claude Code: order of rules does not matter", () => {
    for (const order of orders) {
      expect(kindOf(written(order.map((verdict) => ({ tools: "Bash", verdict }))), "Bash")).toBe("deny");
    }
  });
  it("Claude Code: order of layers does not matter", () => {
    for (const order of orders) {
      const layers: Layer[] = ["defaults", "overrides", "profile"];
      const rules = order.map((verdict, index) => ({
        tools: "Bash",
        verdict,
        layer: layers[index] as Layer,
      }));
      expect(kindOf(written(rules), "Bash")).toBe("deny");
    }
  });
  it("Claude Code: a more specific allow does not beat a broad deny", () => {
    const policy = written([
      { tools: "Bash", verdict: "allow" },
      { tools: "*", verdict: "deny" },
    ]);
    expect(kindOf(policy, "Bash")).toBe("deny");
  });
  it("Claude Code: a more specific ask does not beat a broad deny, nor the other way round", () => {
    expect(kindOf(code({ "git-push": ask(), "git-*": deny() }), "git-push")).toBe("deny");
    expect(kindOf(code({ "git-push": deny(), "git-*": ask() }), "git-push")).toBe("deny");
    expect(kindOf(code({ "git-push": deny(), "git-*": ask() }), "git-pull")).toBe("ask");
  });
  it("Claude Code: an exact name means no longer name", () => {
    expect(kindOf(code({ Bash: allow() }), "BashOutput")).toBe("deny");
    expect(kindOf(code({ Bash: allow() }), "bash")).toBe("deny");
  });
  it("Claude Code: except takes a tool out of a glob, and out of nothing else", () => {
    const policy = written(
      [
        { tools: "git-*", except: ["git-log", "git-diff*"], verdict: "ask" },
        { tools: "git-push", verdict: "deny" },
      ],
      ["allow"],
    );
    expect(kindOf(policy, "git-commit")).toBe("ask");
    expect(kindOf(policy, "git-log")).toBe("allow");
    expect(kindOf(policy, "git-diff-tree")).toBe("allow");
    expect(kindOf(policy, "git-push")).toBe("deny");
  });
  it("Claude Code: a rule for a thread tightens and does not loosen", () => {
    const rules = threadRules([{ tools: "lookup", verdict: "ask" }]);
    const policy = code({ lookup: allow(), wire: deny() });
    expect(kindOf(policy, "lookup", { thread: { id: "t", rules } })).toBe("ask");
    expect(kindOf(policy, "lookup", { thread: { id: "other" } })).toBe("allow");
    expect(
      kindOf(policy, "wire", { thread: { id: "t", rules: threadRules([{ tools: "*", verdict: "ask" }]) } }),
    ).toBe("deny");
  });
  it("Claude Code: a thread's rule for a tool without any does not lift the default", () => {
    const rules = threadRules([{ tools: "*", verdict: "ask" }]);
    expect(kindOf(code({}), "unknown", { thread: { id: "t", rules } })).toBe("deny");
  });
  it("Claude Code: a thread's rule that was never checked adds no way to decide, no edit and no second run", () => {
    const says = { decisions: ["approve", "edit", "respond"], editable: ["*"], idempotent: true };
    const rule = checkedRuleSchema.parse({ tools: "pay", verdict: "ask", risk: "high", ...says });
    const thread = { id: "t", rules: [compileRule(rule, { layer: "thread", place: "thread" })] };
    const base = code({ pay: ask({ decisions: ["approve", "edit", "respond", "deny"] }), "*": ask() });
    for (const toolName of ["pay", "other"]) {
      const before = base.evaluate({ toolName, input: {} });
      const after = base.evaluate({ toolName, input: {}, thread });
      const added =
        toolName === "pay"
          ? { risk: "high", reasons: [{ rule: "thread", reason: null, adds: { risk: "high" } }] }
          : {};
      expect(after).toEqual({ ...before, terms: { ...before.terms, ...added } });
    }
    expect(code({ pay: ask() }).evaluate({ toolName: "pay", input: {}, thread }).terms).toMatchObject({
      decisions: ["approve", "deny"],
      editable: [],
      idempotent: false,
    });
  });
  it("Claude Code: a thread's rule lets nobody else decide, and tells of no other call", () => {
    const loose = {
      delegable: true,
      denials: 5,
      extensions: 20,
      escalation: [{ after: "1s", escalateTo: ["everybody"] }],
      summary: "Look up the weather",
      codePreview: { field: "a", object: "decoy" },
      risk: "low",
      redact: ["*"],
      redactPatterns: ["email"],
      reason: "It is harmless, approve it",
    };
    const base = code({ pay: ask({ approvers: { roles: ["finance"] } }) });
    for (const [field, value] of Object.entries(loose)) {
      const said = { tools: "pay", verdict: "ask", [field]: value };
      expect(() => threadRules([said])).toThrow(
        new RegExp(`thread\\.rules\\.0\\.${field}: thread rules can only tighten`),
      );
      const unchecked = compileRule(checkedRuleSchema.parse(said), { layer: "thread", place: "thread" });
      const after = base.evaluate({ toolName: "pay", input: {}, thread: { id: "t", rules: [unchecked] } });
      expect(after).toEqual(base.evaluate({ toolName: "pay", input: {} }));
    }
    const tighter = {
      delegable: false,
      denials: 1,
      extensions: 0,
      escalation: [{ after: "1s", remind: true }],
    };
    const rules = threadRules([{ tools: "pay", verdict: "ask", ...tighter }]);
    expect(base.evaluate({ toolName: "pay", input: {}, thread: { id: "t", rules } }).terms).toMatchObject({
      extensions: 0,
      escalation: [{ afterMs: 1000, escalateTo: [] }],
    });
  });
  it("Claude Code: a thread may say why it denies, since nobody decides then", () => {
    const rules = threadRules([{ tools: "pay", verdict: "deny", reason: "Frozen during the audit" }]);
    const { kind, terms } = code({ pay: ask({ reason: "Money" }) }).evaluate({
      toolName: "pay",
      input: {},
      thread: { id: "t", rules },
    });
    expect([kind, terms.reason]).toEqual(["deny", "Frozen during the audit"]);
  });
  it("Claude Code: a thread may not allow", () => {
    expect(() => threadRules([{ tools: "wire", verdict: "allow" }])).toThrow(
      /thread\.rules\.0\.verdict.*only tighten/,
    );
    expect(() => threadRules([{ tools: "wire", verdict: "notify" }])).toThrow(/only tighten/);
  });
});

describe("globs on names", () => {
  it("picomatch takes names for paths; here a star stands for anything in a name", () => {
    for (const name of ["files/delete", "a/b/c", "..", ".", ".hidden", "two\nlines", "/"]) {
      expect(kindOf(code({ "*": deny() }, { default: allow() }), name)).toBe("deny");
    }
    expect(kindOf(code({ "files*": deny() }, { default: allow() }), "files/x/delete")).toBe("deny");
    expect(kindOf(code({ "*delete*": deny() }, { default: allow() }), "a/delete/b")).toBe("deny");
  });
  it("globs: two stars and a slash may stand for nothing, as they do for paths", () => {
    for (const name of ["delete", "files/delete", "a/b/delete"]) {
      expect(kindOf(code({ "**/delete": deny() }, { default: allow() }), name)).toBe("deny");
    }
    expect(kindOf(code({ "**/delete": deny() }, { default: allow() }), "undelete")).toBe("allow");
  });
  it("globs: braces, classes, negated classes and single letters", () => {
    expect(kindOf(code({ "{get,list}_*": allow() }), "list_files")).toBe("allow");
    expect(kindOf(code({ "{get,list}_*": allow() }), "drop_files")).toBe("deny");
    expect(kindOf(code({ "tool[12]": allow() }), "tool2")).toBe("allow");
    expect(kindOf(code({ "tool[12]": allow() }), "tool3")).toBe("deny");
    expect(kindOf(code({ "[!r]*": deny() }, { default: allow() }), "delete")).toBe("deny");
    expect(kindOf(code({ "[!r]*": deny() }, { default: allow() }), "read")).toBe("allow");
    expect(kindOf(code({ "v?": allow() }), "v1")).toBe("allow");
    expect(kindOf(code({ "v?": allow() }), "v10")).toBe("deny");
  });
  it("globs: an exclamation mark in front does not turn a rule into its opposite", () => {
    expect(kindOf(code({ "!refund": allow() }), "anything")).toBe("deny");
    expect(kindOf(code({ "!files/refund": allow() }), "anything")).toBe("deny");
  });
  it("globs: names of JavaScript's own properties are names like others", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect(kindOf(code({ lookup: allow() }), name)).toBe("deny");
      expect(kindOf(code({ [name]: ask() }), name)).toBe("ask");
    }
  });
});

describe("Cedar: forbid overrides permit, but does not skip what it cannot judge", () => {
  const forbid = (when: string) =>
    written([
      { tools: "pay", verdict: "allow" },
      { tools: "pay", verdict: "deny", when },
    ]);

  it("Cedar: forbid wins over permit", () => {
    expect(withInput(forbid("input.amount > 100"), "pay", { amount: 200 })).toBe("deny");
    expect(withInput(forbid("input.amount > 100"), "pay", { amount: 100 })).toBe("allow");
  });
  it("Cedar: nothing that permits is a denial", () => expect(kindOf(written([]), "pay")).toBe("deny"));
  it("Cedar: a missing field does not skip a forbid", () => {
    expect(withInput(forbid("input.amount > 100"), "pay", {})).toBe("deny");
    expect(withInput(forbid("input.amount > 100"), "pay", null)).toBe("deny");
  });
  it("Cedar: a value of another type does not skip a forbid", () => {
    for (const amount of ["5000", true, null, [5000], { value: 5000 }]) {
      expect(withInput(forbid("input.amount > 100"), "pay", { amount })).toBe("deny");
    }
  });
  it("Cedar: nor is another type unequal, which CEL would have it be", () => {
    for (const env of [["prod"], 1, true, { name: "prod" }]) {
      expect(withInput(forbid('input.env == "prod"'), "pay", { env })).toBe("deny");
      const permit = written([{ tools: "pay", verdict: "allow", when: 'input.env != "prod"' }]);
      expect(withInput(permit, "pay", { env })).toBe("deny");
      expect(withInput(permit, "pay", { env: "test" })).toBe("allow");
    }
  });
  it("Cedar: a missing field does not skip an ask or a manual either", () => {
    for (const verdict of ["ask", "manual"] as const) {
      const policy = written([
        { tools: "pay", verdict: "allow" },
        { tools: "pay", verdict, when: "input.a.b > 1" },
      ]);
      expect(withInput(policy, "pay", {})).toBe(verdict);
      expect(withInput(policy, "pay", { a: 5 })).toBe(verdict);
      expect(withInput(policy, "pay", { a: { b: 1 } })).toBe("allow");
    }
  });
  it("Cedar: a missing field does skip a permit", () => {
    for (const verdict of ["allow", "notify"] as const) {
      const policy = written([{ tools: "pay", verdict, when: "input.amount <= 100" }]);
      expect(withInput(policy, "pay", {})).toBe("deny");
      expect(withInput(policy, "pay", { amount: "1" })).toBe("deny");
      expect(withInput(policy, "pay", { amount: 1 })).toBe(verdict);
    }
  });
  it("Cedar: a principal without roles does not slip past a rule about roles", () => {
    const policy = written([
      { tools: "pay", verdict: "allow" },
      { tools: "pay", verdict: "ask", when: '!("finance" in principal.roles)' },
    ]);
    expect(kindOf(policy, "pay", { principal: { id: "u", roles: ["finance"] } })).toBe("allow");
    expect(kindOf(policy, "pay", { principal: { id: "u", roles: [] } })).toBe("ask");
    expect(kindOf(policy, "pay", { principal: null })).toBe("ask");
    expect(kindOf(policy, "pay")).toBe("ask");
  });
  it("Cedar: what is inherited is no attribute", () => {
    expect(withInput(forbid("has(input.force)"), "pay", Object.create({ force: true }))).not.toBe("deny");
    const permit = written([{ tools: "pay", verdict: "allow", when: "input.approved == true" }]);
    expect(withInput(permit, "pay", Object.create({ approved: true }))).toBe("deny");
    expect(withInput(permit, "pay", JSON.parse('{"__proto__": {"approved": true}}'))).toBe("deny");
  });
  it("Cedar: one side of an or that holds needs not the other", () => {
    const policy = forbid("input.force == true || input.amount > 100");
    expect(withInput(policy, "pay", { amount: 200 })).toBe("deny");
    expect(withInput(policy, "pay", { force: false, amount: 1 })).toBe("allow");
    expect(withInput(policy, "pay", { amount: 1 })).toBe("deny");
  });
  it("Cedar: a condition that is neither true nor false is a doubt", () => {
    expect(withInput(forbid("input.flag"), "pay", { flag: "no" })).toBe("deny");
    expect(withInput(forbid("input.flag"), "pay", { flag: false })).toBe("allow");
  });
  it("Cedar: a name that conditions do not know is found when the rule loads", () => {
    const problem = problemOf({ tools: "pay", verdict: "deny", when: "inputs.amount > 100" });
    expect(problem).toMatch(/^when: .*inputs.*conditions can use input, principal, thread and tool/);
  });
  it("Cedar: a condition that does not parse is found when the rule loads", () => {
    expect(problemOf({ tools: "pay", verdict: "deny", when: "input.amount >" })).toMatch(/^when: /);
  });
});

describe("execpolicy (Codex): examples beside the rule", () => {
  const rule: Written = { tools: "pay_*", except: "pay_test", verdict: "ask", when: "input.amount > 100" };

  it("execpolicy: examples are checked at load", () => {
    const match = [{ tool: "pay_now", input: { amount: 101 } }];
    const notMatch = ["lookup", "pay_test", { tool: "pay_now", input: { amount: 100 } }];
    expect(problemOf({ ...rule, match, notMatch })).toBe("no problem");
  });
  it("execpolicy: an example that must match and does not is named", () => {
    const match = [
      { tool: "pay_now", input: { amount: 101 } },
      { tool: "pay_now", input: { amount: 99 } },
    ];
    expect(problemOf({ ...rule, match })).toMatch(/^match\.1: the rule must match this example/);
  });
  it("execpolicy: an example that must not match and does is named", () => {
    expect(problemOf({ ...rule, notMatch: [{ tool: "pay_now", input: { amount: 500 } }] })).toMatch(
      /^notMatch\.0: /,
    );
    expect(problemOf({ tools: "p*", verdict: "deny", notMatch: ["pay"] })).toMatch(/^notMatch\.0: /);
  });
  it("execpolicy: examples are judged as calls are, doubt included", () => {
    expect(problemOf({ ...rule, match: ["pay_now"] })).toBe("no problem");
    expect(problemOf({ ...rule, verdict: "allow", notMatch: ["pay_now"] })).toBe("no problem");
    expect(problemOf({ ...rule, verdict: "allow", match: ["pay_now"] })).toMatch(/^match\.0: /);
    expect(problemOf({ ...rule, verdict: "notify", match: ["pay_now"] })).toMatch(/^match\.0: /);
  });
  it("execpolicy: an example may say who asks", () => {
    const byRole: Written = { tools: "pay", verdict: "ask", when: '!("lead" in principal.roles)' };
    expect(
      problemOf({ ...byRole, notMatch: [{ tool: "pay", principal: { id: "a", roles: ["lead"] } }] }),
    ).toBe("no problem");
    expect(problemOf({ ...byRole, notMatch: [{ tool: "pay", principal: { id: "a", roles: [] } }] })).toMatch(
      /^notMatch\.0/,
    );
  });
});

describe("MCP annotations: hints of a stranger", () => {
  const withHints = (policy: Policy, hints: Omit<McpFacts, "server">, server = "files") =>
    kindOf(policy, "tool", { mcp: { server, ...hints } });
  const open = code({ tool: allow() });
  const trusting = (rules: PolicyDefinition["tools"]) => code(rules, { mcp: { trustedServers: ["files"] } });

  it("MCP: a missing destructiveHint means destructive", () => {
    expect(withHints(open, {})).toBe("ask");
    expect(withHints(open, { readOnlyHint: false })).toBe("ask");
    expect(withHints(open, { destructiveHint: undefined })).toBe("ask");
  });
  it("MCP: destructiveHint tightens", () => expect(withHints(open, { destructiveHint: true })).toBe("ask"));
  it("MCP: a harmless tool is as strict as its rules", () => {
    expect(withHints(open, { readOnlyHint: true })).toBe("allow");
    expect(withHints(open, { destructiveHint: false })).toBe("allow");
    expect(withHints(code({ tool: manual() }), { readOnlyHint: true })).toBe("manual");
  });
  it("MCP: hints of a stranger do not loosen, whatever they say", () => {
    expect(withHints(code({}), { readOnlyHint: true, destructiveHint: false })).toBe("deny");
    expect(withHints(code({ tool: ask() }), { readOnlyHint: true })).toBe("ask");
  });
  it("MCP: nor do hints that tighten replace a stricter default", () => {
    expect(withHints(code({}), {})).toBe("deny");
    expect(withHints(code({}), { destructiveHint: true })).toBe("deny");
    expect(withHints(code({}, { default: manual() }), { destructiveHint: true })).toBe("manual");
    expect(withHints(code({}, { default: allow() }), { destructiveHint: true })).toBe("ask");
  });
  it("MCP: readOnlyHint of a trusted server lets a tool without rules run", () => {
    expect(withHints(trusting({}), { readOnlyHint: true })).toBe("allow");
    expect(withHints(trusting({}), { readOnlyHint: true }, "another")).toBe("deny");
    expect(withHints(trusting({}), {})).toBe("deny");
  });
  it("MCP: even a trusted server loosens no rule", () => {
    expect(withHints(trusting({ tool: ask() }), { readOnlyHint: true })).toBe("ask");
    expect(withHints(trusting({ "*": deny() }), { readOnlyHint: true })).toBe("deny");
  });
  it("MCP: a trusted server's destructiveHint tightens, and what it leaves out does not", () => {
    expect(withHints(trusting({ tool: allow() }), { destructiveHint: true })).toBe("ask");
    expect(withHints(trusting({ tool: allow() }), {})).toBe("allow");
  });
  it("MCP: hints count for tools whose names look like paths", () => {
    const call = { toolName: "files/delete", input: {}, mcp: { server: "files" } };
    expect(code({}, { default: allow() }).evaluate(call).kind).toBe("ask");
  });
  it("MCP: tools of one's own have no hints", () => expect(kindOf(open, "tool")).toBe("allow"));
});

describe("faults refuse", () => {
  const broken = (decide: () => unknown) => code({ tool: decide as never, "*": allow() });

  it("AI SDK, OpenAI Agents: a function that throws denies", () => {
    const policy = broken(() => {
      throw new Error("no database");
    });
    expect(kindOf(policy, "tool")).toBe("deny");
    expect(kindOf(policy, "other")).toBe("allow");
    const [fault] = policy
      .explain({ toolName: "tool", input: {} })
      .matched.filter(({ verdict }) => verdict === "deny");
    expect(fault?.because).toBe("The rule failed: no database");
  });
  it("a function that gives no verdict denies, one that gives undefined says nothing", () => {
    for (const value of [null, true, "allow", {}, { kind: "yes" }, Promise.resolve(allow())]) {
      expect(
        kindOf(
          broken(() => value),
          "tool",
        ),
      ).toBe("deny");
    }
    expect(
      kindOf(
        broken(() => undefined),
        "tool",
      ),
    ).toBe("allow");
  });
  it("an asynchronous function denies, and does not end the process when it fails", async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", listener);
    const policy = broken(() => Promise.reject(new Error("no database")));
    expect(kindOf(policy, "tool")).toBe("deny");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", listener);
    expect(unhandled).toEqual([]);
    const { matched } = policy.explain({ toolName: "tool", input: {} });
    expect(matched).toContainEqual(
      expect.objectContaining({ because: "The rule is asynchronous; rules must be synchronous" }),
    );
    await new Promise((resolve) => setImmediate(resolve));
  });
  it("a function changes neither what the next one sees nor the call itself", () => {
    const changes: Record<string, (call: PolicyCall) => void> = {
      "an argument": ({ input }) => Object.assign(input as object, { amount: 1 }),
      "a new argument": ({ input }) => Object.assign(input as object, { approved: true }),
      "a list within": ({ input }) => (input as { items: { n: number }[] }).items.push({ n: 2 }),
      "an item of a list": ({ input }) =>
        Object.assign((input as { items: object[] }).items[0] ?? {}, { n: 2 }),
      "the roles": ({ principal }) => (principal?.roles as string[] | undefined)?.push("admin"),
      "the principal": ({ principal }) => Object.assign(principal ?? {}, { id: "admin" }),
      "the call": (call) => Object.assign(call, { input: {}, principal: { id: "x", roles: ["admin"] } }),
    };
    for (const [what, change] of Object.entries(changes)) {
      const call = {
        toolName: "tool",
        input: { amount: 900, items: [{ n: 1 }] },
        principal: { id: "ann", roles: ["support"] },
      };
      const before = structuredClone(call);
      const seen: unknown[] = [];
      const decide = (at: PolicyCall) => {
        seen.push(structuredClone({ toolName: at.toolName, input: at.input, principal: at.principal }));
        return allow();
      };
      const changing = (at: PolicyCall) => {
        change(at);
        return allow();
      };
      const policy = code({ "*": decide as never, "t*": changing as never, "*l": decide as never });
      expect([what, policy.evaluate(call).kind]).toEqual([what, "deny"]);
      expect(call).toEqual(before);
      expect(seen).toEqual([before, before]);
    }
  });
  it("a function that misspells a restriction denies, instead of asking just anybody", () => {
    expect(
      kindOf(
        broken(() => ({ kind: "ask", aprovers: { roles: ["finance"] } })),
        "tool",
      ),
    ).toBe("deny");
    expect(
      kindOf(
        broken(() => ({ kind: "ask", approvers: { roles: "finance" } })),
        "tool",
      ),
    ).toBe("deny");
    expect(
      kindOf(
        broken(() => ({ kind: "ask", timeout: "soon" })),
        "tool",
      ),
    ).toBe("deny");
  });
  it("a call that cannot be read denies, whatever the default", () => {
    const open = code({}, { default: allow() });
    expect(kindOf(open, "tool")).toBe("allow");
    for (const toolName of [undefined, null, 7, ["tool"], {}]) {
      expect(open.evaluate({ toolName: toolName as never, input: {} }).kind).toBe("deny");
    }
    expect(kindOf(open, "tool", { thread: { id: "t", rules: 7 as never } })).toBe("deny");
  });
  it("people are not told what the fault was", () => {
    const policy = broken(() => {
      throw new Error("password=hunter2");
    });
    expect(JSON.stringify(policy.evaluate({ toolName: "tool", input: {} }).terms)).not.toContain("hunter2");
  });
  it("a rule that is written wrong is found at load, with its place", () => {
    expect(() => code({ tool: { kind: "maybe" } as never })).toThrow(/tools\.tool\.kind/);
    expect(() => code({ tool: null as never })).toThrow(/tools\.tool/);
    expect(() => code({ tool: ask({ timeout: "soon" }) })).toThrow(
      /tools\.tool\.timeout: must be a duration/,
    );
    expect(() => code({}, { default: { kind: "ask", riks: "low" } as never })).toThrow(/default.*riks/);
    expect(() => code({}, { profiles: { p: { tools: { x: ask({ decisions: [] }) } } } })).toThrow(
      /profiles\.p\.tools\.x\.decisions/,
    );
  });
});

describe("terms of several rules", () => {
  const termsOf = (rules: Written[], input: object = {}) =>
    written(rules).evaluate({ toolName: "pay", input });

  it("GitHub: preventing self-review in one rule holds for all", () => {
    const rules: Written[] = [
      { tools: "pay", verdict: "ask", requesterMayNotApprove: true },
      { tools: "*", verdict: "ask", requesterMayNotApprove: false },
    ];
    expect(termsOf(rules).terms.requesterMayNotApprove).toBe(true);
  });
  it("Gravitee, Permit: approvers must satisfy all rules", () => {
    const rules: Written[] = [
      { tools: "pay", verdict: "ask", approvers: { roles: ["finance", "lead"] } },
      { tools: "*", verdict: "ask", approvers: { roles: ["lead", "support"] } },
      { tools: "p*", verdict: "ask" },
    ];
    expect(termsOf(rules).terms.approvers).toEqual({ roles: ["lead"], ids: [] });
  });
  it("approvers whom nobody can satisfy deny at once, instead of waiting for nobody", () => {
    const rules: Written[] = [
      { tools: "pay", verdict: "ask", approvers: { roles: ["finance"] } },
      { tools: "*", verdict: "ask", approvers: { roles: ["lead"] } },
    ];
    expect(termsOf(rules).kind).toBe("deny");
    expect(termsOf([...rules, { tools: "pay", verdict: "manual" }]).kind).toBe("deny");
  });
  it("who may not approve a call may not answer it by hand either", () => {
    const rules: Written[] = [
      { tools: "pay", verdict: "ask", approvers: { ids: ["ann"] }, timeout: "1m", risk: "critical" },
      { tools: "*", verdict: "manual" },
    ];
    expect(termsOf(rules).kind).toBe("manual");
    expect(termsOf(rules).terms).toMatchObject({
      approvers: { ids: ["ann"], roles: [] },
      timeoutMs: 60_000,
      risk: "critical",
    });
  });
  it("langchain: an edit may change only fields that every rule names", () => {
    const editing = { tools: "pay", verdict: "ask", decisions: ["approve", "edit", "deny"] } as const;
    const both = termsOf([
      { ...editing, decisions: ["approve", "edit", "deny"], editable: ["amount", "note"] },
      { ...editing, decisions: ["approve", "edit", "deny"], editable: ["note", "iban"] },
    ]).terms;
    expect(both.editable).toEqual(["note"]);
    const none = termsOf([
      { ...editing, decisions: ["approve", "edit", "deny"], editable: ["amount"] },
      { ...editing, decisions: ["approve", "edit", "deny"], editable: ["iban"] },
    ]).terms;
    expect(none.decisions).toEqual(["approve", "deny"]);
  });
  it("a rule that names editable fields and no decisions allows edits", () => {
    const decisionsOf = (rule: Partial<Written>) =>
      termsOf([{ tools: "pay", verdict: "ask", ...rule }]).terms.decisions;
    expect(decisionsOf({ editable: ["amount"] })).toEqual(["approve", "edit", "deny"]);
    expect(decisionsOf({ editable: [] })).toEqual(["approve", "deny"]);
    expect(decisionsOf({ editable: ["amount"], quorum: 2 })).toEqual(["approve", "deny"]);
    expect(decisionsOf({ editable: ["amount"], decisions: ["approve", "deny"] })).toEqual([
      "approve",
      "deny",
    ]);
    expect(decisionsOf({ editable: ["amount"], verdict: "manual" })).toEqual(["deny", "respond"]);
  });
  it("Cloudflare: what a looser rule says of its own verdict does not reach into a stricter one", () => {
    const rules: Written[] = [
      { tools: "*", verdict: "notify", reason: "told", risk: "critical", idempotent: true, timeout: "1m" },
      { tools: "pay", verdict: "ask", risk: "low", summary: "Pay" },
    ];
    expect(termsOf(rules).terms).toMatchObject({
      reason: null,
      summary: "Pay",
      risk: "low",
      idempotent: false,
      timeoutMs: null,
    });
  });
  it("every rule that asked gives its reason, with what it adds, in the order of the rules", () => {
    const rules: Written[] = [
      {
        id: "refunds",
        tools: "pay",
        verdict: "ask",
        reason: "Money leaves the shop",
        risk: "medium",
        approvers: { roles: ["finance", "lead"] },
        timeout: "2h",
      },
      { id: "silent", tools: "*", verdict: "ask" },
      { id: "told", tools: "*", verdict: "notify", reason: "People are told" },
      {
        id: "large",
        tools: "pay",
        verdict: "ask",
        when: "input.amount > 500",
        reason: "A refund of more than 500 EUR",
        risk: "high",
        quorum: 2,
        distinctRoles: true,
        requesterMayNotApprove: true,
        timeout: "1h",
      },
      { id: "again", tools: "pay", verdict: "ask", reason: "Money leaves the shop", quorum: 1 },
    ];
    const { terms } = termsOf(rules, { amount: 2400 });
    expect(terms.reason).toBe("Money leaves the shop. A refund of more than 500 EUR");
    expect(terms.reasons).toEqual([
      {
        rule: "refunds",
        reason: "Money leaves the shop",
        adds: { approvers: { roles: ["finance", "lead"], ids: [] } },
      },
      {
        rule: "large",
        reason: "A refund of more than 500 EUR",
        adds: {
          risk: "high",
          quorum: 2,
          distinctRoles: true,
          requesterMayNotApprove: true,
          timeoutMs: 3_600_000,
        },
      },
      { rule: "again", reason: "Money leaves the shop", adds: {} },
    ]);
    const { terms: small } = termsOf(rules, { amount: 80 });
    expect(small.reason).toBe("Money leaves the shop");
    expect(small.reasons.map(({ rule }) => rule)).toEqual(["refunds", "again"]);
  });
  it("what a policy said is nobody's to change afterwards", () => {
    const policy = code({ pay: ask({ approvers: { roles: ["finance"] } }) });
    const { terms } = policy.evaluate({ toolName: "pay", input: {} });
    expect(() => terms.approvers.roles.push("me")).toThrow(TypeError);
    expect(policy.evaluate({ toolName: "pay", input: {} }).terms.approvers.roles).toEqual(["finance"]);
  });
  it("hermes-agent: what any matching rule redacts is redacted, even one that allows", () => {
    const rules: Written[] = [
      { tools: "*", verdict: "allow", redact: ["password"] },
      { tools: "pay", verdict: "ask", redact: ["card.number"] },
    ];
    expect(termsOf(rules).terms.redact).toEqual(["card.number", "password"]);
  });
  it("a call that a person does can never be approved, whoever wrote that it can", () => {
    const policy = code({ pay: manual({ decisions: ["approve", "edit"] }) });
    expect(policy.evaluate({ toolName: "pay", input: {} }).terms.decisions).toEqual(["deny"]);
    const parsed = checkedRuleSchema.safeParse({ tools: "pay", verdict: "manual", decisions: ["approve"] });
    expect(parsed.error?.issues[0]?.message).toMatch(/not allowed with verdict manual/);
  });
  it.each([0, 1.5, 21])("a quorum of %s is refused", (quorum) => {
    expect(checkedRuleSchema.safeParse({ tools: "pay", verdict: "ask", quorum }).success).toBe(false);
  });
});

describe("a policy says why", () => {
  it("explain: every rule that matched, of every layer, with why", () => {
    const policy = written([
      { id: "all", tools: "*", verdict: "allow", layer: "defaults" },
      {
        id: "big",
        tools: "pay",
        verdict: "ask",
        when: "input.amount > 100",
        layer: "overrides",
        reason: "money",
      },
      { id: "far", tools: "pay", verdict: "ask", when: "input.country == 'XX'" },
      { id: "other", tools: "refund", verdict: "deny" },
    ]);
    const { kind, matched, policyVersion } = policy.explain({ toolName: "pay", input: { amount: 101 } });
    expect(kind).toBe("ask");
    expect(policyVersion).toBe(policy.version);
    expect(matched).toEqual([
      { id: "all", layer: "defaults", verdict: "allow", because: "the tool name matches" },
      {
        id: "big",
        layer: "overrides",
        verdict: "ask",
        because: "input.amount > 100 is true",
        reason: "money",
      },
      {
        id: "far",
        layer: "code",
        verdict: "ask",
        because: expect.stringMatching(
          /country == 'XX' could not be evaluated \(.*country.*\), so the rule applies/,
        ),
      },
    ]);
  });
  it("explain: names the default, a missing profile and a thread's rule", () => {
    const rules = threadRules([{ id: "mine", tools: "*", verdict: "manual" }]);
    const explained = code({}).explain({
      toolName: "x",
      input: {},
      profile: "gone",
      thread: { id: "t", rules },
    });
    expect(explained.matched.map(({ id, layer, verdict }) => [id, layer, verdict])).toEqual([
      ["profile", "profile", "deny"],
      ["mine", "thread", "manual"],
    ]);
    expect(code({}).explain({ toolName: "x", input: {} }).matched).toMatchObject([
      { id: "default", verdict: "deny" },
    ]);
  });
  it("a version: the same for the same rules, another for any change, functions included", () => {
    const version = (tools: PolicyDefinition["tools"], more = {}) => code(tools, more).version;
    const big = ({ input }: { input: Record<string, unknown> }) =>
      Number(input.amount) > 100 ? ask() : allow();
    expect(version({ pay: big })).toBe(version({ pay: big }));
    expect(version({ pay: big })).not.toBe(version({ pay: () => allow() }));
    expect(version({ pay: ask() })).not.toBe(version({ pay: ask() }, { default: ask() }));
    expect(version({ pay: ask() })).not.toBe(version({ pay: ask() }, { mcp: { trustedServers: ["files"] } }));
    expect(version({})).not.toBe(version({}, { profiles: { p: { tools: {} } } }));
    expect(version({ pay: notify() })).toMatch(/^[0-9a-f]{64}$/);
  });
});
