// All behaviours of policies are in one file, to be read together. A name in parentheses is the system that a behaviour
// follows.
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { compilePolicy } from "./compile-policy.js";
import { definePolicy, type PolicyDefinition } from "./define-policy.js";
import type { Policy } from "./policy.js";
import type { Layer, McpFacts, PolicyCall } from "./policy-call.js";
import { compileRule, RuleProblem } from "./rules/compile-rule.js";
import type { VerdictKind } from "./rules/rule.js";
import { checkedRuleSchema, profileName } from "./rules/rule-schema.js";
import { threadRules } from "./rules/thread-rules.js";
import { allow, ask, deny, manual, notify } from "./rules/verdict.js";

type Written = z.input<typeof checkedRuleSchema>;

/** A policy of rules as files contain them. `defaults` has one verdict for each layer that sets a default. */
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

describe("a rule (supervision levels of adh-cli)", () => {
  const policy = written([
    { tools: "read_file", verdict: "allow", risk: "low" },
    { tools: "list_directory", verdict: "notify" },
    { tools: "write_file", verdict: "ask", risk: "high" },
    { tools: "restart_server", verdict: "manual" },
    { tools: "delete_file", verdict: "deny", reason: "Files are not deleted here" },
  ]);

  it("may allow, for AUTOMATIC", () => expect(kindOf(policy, "read_file")).toBe("allow"));
  it("may notify, for NOTIFY", () => expect(kindOf(policy, "list_directory")).toBe("notify"));
  it("may ask, for CONFIRM", () => expect(kindOf(policy, "write_file")).toBe("ask"));
  it("may be manual, for MANUAL, which offers to deny or respond, and not to run the tool", () => {
    const { kind, terms } = policy.evaluate({ toolName: "restart_server", input: {} });
    expect(kind).toBe("manual");
    expect(terms.decisions).toEqual(["deny", "respond"]);
  });
  it("may deny, for DENY, with the reason", () => {
    const { kind, terms } = policy.evaluate({ toolName: "delete_file", input: {} });
    expect(kind).toBe("deny");
    expect(terms.reason).toBe("Files are not deleted here");
  });
  it("loses to every stricter rule, in the order allow < notify < ask < manual < deny", () => {
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
  it("that only notifies names all whom such rules name if they have nobody in common, and never everybody", () => {
    const named = (...roles: string[]): Written => ({ tools: "t", verdict: "notify", approvers: { roles } });
    const approversOf = (...rules: Written[]) =>
      written(rules).evaluate({ toolName: "t", input: {} }).terms.approvers;
    expect(approversOf(named("finance", "lead"), named("lead"))).toEqual({ roles: ["lead"], ids: [] });
    expect(approversOf(named("finance"), named("lead"))).toEqual({ roles: ["finance", "lead"], ids: [] });
    expect(approversOf({ tools: "t", verdict: "notify" })).toEqual({ roles: [], ids: [] });
  });
  it("sets the risk of a call unless another matching rule sets a higher one", () => {
    const rules: Written[] = [
      { tools: "t", verdict: "ask", risk: "low" },
      { tools: "*", verdict: "ask", risk: "critical" },
      { tools: "t*", verdict: "ask", risk: "high" },
    ];
    expect(written(rules).evaluate({ toolName: "t", input: {} }).terms.risk).toBe("critical");
  });
  it("may depend on a path in the arguments", () => {
    const paths = written([
      { tools: "write_file", verdict: "allow" },
      { tools: "write_file", verdict: "deny", when: 'input.path.startsWith("/etc/")' },
    ]);
    expect(withInput(paths, "write_file", { path: "/tmp/x" })).toBe("allow");
    expect(withInput(paths, "write_file", { path: "/etc/passwd" })).toBe("deny");
  });
  it("does not cover tools with other names, which are denied", () => {
    expect(kindOf(policy, "execute_command")).toBe("deny");
    expect(kindOf(policy, "execute")).toBe("deny");
  });
  it("does not cover a call if its condition does not hold, so that the call is denied", () => {
    const small = written([{ tools: "execute*", verdict: "allow", when: "input.safe == true" }]);
    expect(withInput(small, "execute_command", { safe: false })).toBe("deny");
    expect(withInput(small, "execute_command", {})).toBe("deny");
    expect(withInput(small, "execute_command", { safe: true })).toBe("allow");
  });
});

describe("lists of tools and profiles (codemode-bridge)", () => {
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

  it("deny a tool that is on the denylist and the asklist", () => {
    expect(kindOf(supervised, "filesystem__delete_file")).toBe("deny");
  });
  it("ask for the tools on the asklist", () => {
    expect(kindOf(supervised, "filesystem__write_file")).toBe("ask");
    expect(kindOf(supervised, "swf_gitlab__merge")).toBe("ask");
  });
  it("allow a tool that is on neither list if the default allows", () => {
    expect(kindOf(supervised, "time__now")).toBe("allow");
  });
  it("allow the tools on the allowlist", () => {
    expect(kindOf(safe, "time__now")).toBe("allow");
    expect(kindOf(safe, "search_tools")).toBe("allow");
  });
  it("deny all tools that are not on the allowlist", () => {
    expect(kindOf(safe, "filesystem__read_file")).toBe("deny");
    expect(kindOf(safe, "search_tools_all")).toBe("deny");
  });
  it("deny a tool that is on the denylist and the allowlist", () => {
    expect(kindOf(lists({ deny: ["*__delete"], allow: ["files__*"] }, "deny"), "files__delete")).toBe("deny");
  });
  it("ask for a tool that is on the asklist and the allowlist", () => {
    expect(kindOf(lists({ ask: ["*__write"], allow: ["files__*"] }, "deny"), "files__write")).toBe("ask");
  });
  it("deny a tool on the denylist although the allowlist covers all tools", () => {
    expect(kindOf(lists({ deny: ["files__*"], allow: ["*"] }, "deny"), "files__write")).toBe("deny");
  });
  it("cover tools of servers that connect later", () => {
    expect(kindOf(supervised, "filesystem__new_tool_of_tomorrow")).toBe("ask");
    expect(kindOf(safe, "filesystem__new_tool_of_tomorrow")).toBe("deny");
  });
  it("apply a profile's rules in that profile only", () => {
    const policy = code({ run: allow() }, { profiles: { safe: { tools: { run: deny() } } } });
    expect(kindOf(policy, "run")).toBe("allow");
    expect(kindOf(policy, "run", { profile: "safe" })).toBe("deny");
  });
  it("leave a tool as it is if the call has no profile", () => {
    const policy = code({ eval: allow() }, { profiles: { supervised: { tools: { eval: ask() } } } });
    expect(kindOf(policy, "eval")).toBe("allow");
  });
  it("do not let a profile loosen the other rules", () => {
    const policy = code({ run: ask() }, { profiles: { loose: { tools: { run: allow() } } } });
    expect(kindOf(policy, "run", { profile: "loose" })).toBe("ask");
  });
  it("deny every call with a profile that does not exist", () => {
    expect(kindOf(code({ run: allow() }), "run", { profile: "nobody_wrote_this" })).toBe("deny");
  });
  it("accept profile names of 1 to 32 letters, digits and underscores", () => {
    for (const name of ["safe", "Safe_2", "a".repeat(32)])
      expect(profileName.safeParse(name).success).toBe(true);
    for (const name of ["", "sa-fe", "sa fe", "a".repeat(33), "säfe", "safe\n"]) {
      expect(profileName.safeParse(name).success).toBe(false);
      expect(() => code({}, { profiles: { [name]: { tools: {} } } })).toThrow(/1 to 32 letters/);
    }
  });
  it("give a profile the rules of all profiles that it extends, at any depth", () => {
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
  it("refuse profiles that extend each other in a cycle", () => {
    const circle = () =>
      code({}, { profiles: { a: { extends: "b", tools: {} }, b: { extends: "a", tools: {} } } });
    expect(circle).toThrow(/a → b → a/);
    expect(() => code({}, { profiles: { a: { extends: "a", tools: {} } } })).toThrow(/a → a/);
  });
  it("accept a profile that extends another one along two paths", () => {
    const profiles = {
      a: { extends: ["b", "c"], tools: {} },
      b: { extends: "d", tools: {} },
      c: { extends: "d", tools: {} },
      d: { tools: { run: ask() } },
    };
    expect(kindOf(code({ run: allow() }, { profiles }), "run", { profile: "a" })).toBe("ask");
  });
  it("report a misspelt name in extends, and suggest a similar one", () => {
    const define = () => code({}, { profiles: { safe: { tools: {} }, b: { extends: "saef", tools: {} } } });
    expect(define).toThrow(/unknown profile "saef"; did you mean "safe"\?/);
  });
});

describe("required approvals (atlas-ui)", () => {
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

  it("apply to a listed tool", () => expect(kindOf(example, "filesystem_write_file")).toBe("ask"));
  it("do not apply to other tools if require_approval_by_default is false", () => {
    expect(kindOf(example, "calculator_eval")).toBe("allow");
  });
  it("offer editing for allow_edit", () => {
    expect(decisionsOf(example, "code-executor_run_python")).toEqual(["approve", "edit", "deny"]);
  });
  it("do not offer editing without allow_edit", () => {
    expect(decisionsOf(example, "filesystem_write_file")).toEqual(["approve", "deny"]);
  });
  it("apply in strict mode to all tools that are not exempt", () => {
    const strict = written([{ tools: "calculator_eval", verdict: "allow" }], ["ask"]);
    expect(kindOf(strict, "calculator_eval")).toBe("allow");
    expect(kindOf(strict, "filesystem_read_file")).toBe("ask");
  });
  it("follow the stricter one if defaults and overrides differ", () => {
    const rules: (Written & { layer: Layer })[] = [
      { tools: "write_file", verdict: "ask", layer: "defaults" },
      { tools: "write_file", verdict: "allow", layer: "overrides" },
    ];
    expect(kindOf(written(rules), "write_file")).toBe("ask");
    expect(kindOf(written(rules.reverse()), "write_file")).toBe("ask");
  });
  it("follow the strictest default if several layers set one", () => {
    expect(kindOf(written([], ["allow", "ask"]), "any")).toBe("ask");
    expect(kindOf(written([], ["ask", "allow"]), "any")).toBe("ask");
    expect(kindOf(written([], ["allow", "deny", "ask"]), "any")).toBe("deny");
  });
  it.each<[string, Layer, Layer]>([
    ["rules of one layer", "code", "code"],
    ["layers", "defaults", "overrides"],
    ["layers, in the other order,", "overrides", "defaults"],
  ])("do not offer editing if one of two %s forbids it", (_what, offering, forbidding) => {
    const rules: (Written & { layer: Layer })[] = [
      {
        tools: "run",
        verdict: "ask",
        decisions: ["approve", "edit", "deny"],
        editable: ["*"],
        layer: offering,
      },
      { tools: "*", verdict: "ask", decisions: ["approve", "deny"], layer: forbidding },
    ];
    expect(decisionsOf(written(rules), "run")).toEqual(["approve", "deny"]);
    expect(decisionsOf(written(rules.reverse()), "run")).toEqual(["approve", "deny"]);
  });
  it("take the shortest of several timeouts, or none", () => {
    const rules: Written[] = [
      { tools: "run", verdict: "ask", timeout: "5m" },
      { tools: "*", verdict: "ask", timeout: "300s" },
      { tools: "*n", verdict: "ask", timeout: "1 day" },
    ];
    expect(written(rules).evaluate({ toolName: "run", input: {} }).terms.timeoutMs).toBe(300_000);
    expect(example.evaluate({ toolName: "filesystem_write_file", input: {} }).terms.timeoutMs).toBeNull();
  });
  it("may depend on arguments, such as a path that needs no approval", () => {
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

describe("rules (Claude Code: deny > ask > allow)", () => {
  const orders = [
    ["deny", "ask", "allow"],
    ["allow", "ask", "deny"],
    ["ask", "deny", "allow"],
  ] as const;

  it("deny if one of them denies, whatever their order", () => {
    for (const order of orders) {
      expect(kindOf(written(order.map((verdict) => ({ tools: "Bash", verdict }))), "Bash")).toBe("deny");
    }
  });
  it("deny if one of them denies, whatever their layers", () => {
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
  it("deny if a broad rule denies and a more specific rule allows", () => {
    const policy = written([
      { tools: "Bash", verdict: "allow" },
      { tools: "*", verdict: "deny" },
    ]);
    expect(kindOf(policy, "Bash")).toBe("deny");
  });
  it("deny if a broad or a more specific rule denies and the other one asks", () => {
    expect(kindOf(code({ "git-push": ask(), "git-*": deny() }), "git-push")).toBe("deny");
    expect(kindOf(code({ "git-push": deny(), "git-*": ask() }), "git-push")).toBe("deny");
    expect(kindOf(code({ "git-push": deny(), "git-*": ask() }), "git-pull")).toBe("ask");
  });
  it("with an exact name do not match a longer name or another letter case", () => {
    expect(kindOf(code({ Bash: allow() }), "BashOutput")).toBe("deny");
    expect(kindOf(code({ Bash: allow() }), "bash")).toBe("deny");
  });
  it("with except do not cover the excepted tools, which other rules still cover", () => {
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
  it("of a thread tighten, and do not loosen", () => {
    const rules = threadRules([{ tools: "lookup", verdict: "ask" }]);
    const policy = code({ lookup: allow(), wire: deny() });
    expect(kindOf(policy, "lookup", { thread: { id: "t", rules } })).toBe("ask");
    expect(kindOf(policy, "lookup", { thread: { id: "other" } })).toBe("allow");
    expect(
      kindOf(policy, "wire", { thread: { id: "t", rules: threadRules([{ tools: "*", verdict: "ask" }]) } }),
    ).toBe("deny");
  });
  it("of a thread do not replace the default", () => {
    const rules = threadRules([{ tools: "*", verdict: "ask" }]);
    expect(kindOf(code({}), "unknown", { thread: { id: "t", rules } })).toBe("deny");
  });
  it("of a thread add no decisions, no edits and no second run, even if they were never validated", () => {
    const loose = { decisions: ["approve", "edit", "respond"], editable: ["*"], idempotent: true };
    const rule = checkedRuleSchema.parse({ tools: "pay", verdict: "ask", risk: "high", ...loose });
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
  it("of a thread neither widen who decides nor change what approvers read", () => {
    const loose = {
      delegable: true,
      denials: 5,
      extensions: 20,
      escalation: [{ after: "1s", escalateTo: ["everybody"] }],
      summary: "Look up the weather",
      resultSummary: "It was harmless",
      units: { amount: "cents" },
      label: "Look up",
      names: { to: "From" },
      codePreview: { field: "a", object: "decoy" },
      risk: "low",
      redact: ["*"],
      redactPatterns: ["email"],
      reason: "It is harmless, approve it",
    };
    const base = code({ pay: ask({ approvers: { roles: ["finance"] } }) });
    for (const [field, value] of Object.entries(loose)) {
      const loosening = { tools: "pay", verdict: "ask", [field]: value };
      expect(() => threadRules([loosening])).toThrow(
        new RegExp(`thread\\.rules\\.0\\.${field}: thread rules can only tighten`),
      );
      const unchecked = compileRule(checkedRuleSchema.parse(loosening), { layer: "thread", place: "thread" });
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
  it("of a thread may give the reason of their denial", () => {
    const rules = threadRules([{ tools: "pay", verdict: "deny", reason: "Frozen during the audit" }]);
    const { kind, terms } = code({ pay: ask({ reason: "Money" }) }).evaluate({
      toolName: "pay",
      input: {},
      thread: { id: "t", rules },
    });
    expect([kind, terms.reason]).toEqual(["deny", "Frozen during the audit"]);
  });
  it("of a thread may not allow or notify", () => {
    expect(() => threadRules([{ tools: "wire", verdict: "allow" }])).toThrow(
      /thread\.rules\.0\.verdict.*only tighten/,
    );
    expect(() => threadRules([{ tools: "wire", verdict: "notify" }])).toThrow(/only tighten/);
  });
});

describe("globs on tool names", () => {
  it("match any characters with a star, also slashes, dots and line breaks", () => {
    for (const name of ["files/delete", "a/b/c", "..", ".", ".hidden", "two\nlines", "/"]) {
      expect(kindOf(code({ "*": deny() }, { default: allow() }), name)).toBe("deny");
    }
    expect(kindOf(code({ "files*": deny() }, { default: allow() }), "files/x/delete")).toBe("deny");
    expect(kindOf(code({ "*delete*": deny() }, { default: allow() }), "a/delete/b")).toBe("deny");
  });
  it("match any number of path segments, or none, with two stars and a slash", () => {
    for (const name of ["delete", "files/delete", "a/b/delete"]) {
      expect(kindOf(code({ "**/delete": deny() }, { default: allow() }), name)).toBe("deny");
    }
    expect(kindOf(code({ "**/delete": deny() }, { default: allow() }), "undelete")).toBe("allow");
  });
  it("support braces, classes, negated classes and single characters", () => {
    expect(kindOf(code({ "{get,list}_*": allow() }), "list_files")).toBe("allow");
    expect(kindOf(code({ "{get,list}_*": allow() }), "drop_files")).toBe("deny");
    expect(kindOf(code({ "tool[12]": allow() }), "tool2")).toBe("allow");
    expect(kindOf(code({ "tool[12]": allow() }), "tool3")).toBe("deny");
    expect(kindOf(code({ "[!r]*": deny() }, { default: allow() }), "delete")).toBe("deny");
    expect(kindOf(code({ "[!r]*": deny() }, { default: allow() }), "read")).toBe("allow");
    expect(kindOf(code({ "v?": allow() }), "v1")).toBe("allow");
    expect(kindOf(code({ "v?": allow() }), "v10")).toBe("deny");
  });
  it("are negated in parentheses", () => {
    expect(kindOf(code({ "!(refund|files/*)": allow() }), "anything")).toBe("allow");
    expect(kindOf(code({ "!(refund|files/*)": allow() }), "refund")).toBe("deny");
    expect(kindOf(code({ "!(refund|files/*)": allow() }), "files/delete")).toBe("deny");
  });
  it("treat the names of JavaScript's own properties like other names", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect(kindOf(code({ lookup: allow() }), name)).toBe("deny");
      expect(kindOf(code({ [name]: ask() }), name)).toBe("ask");
    }
  });
});

describe("conditional rules (Cedar, but without skipping a rule in doubt)", () => {
  const forbid = (when: string) =>
    written([
      { tools: "pay", verdict: "allow" },
      { tools: "pay", verdict: "deny", when },
    ]);

  it("let a deny win over an allow", () => {
    expect(withInput(forbid("input.amount > 100"), "pay", { amount: 200 })).toBe("deny");
    expect(withInput(forbid("input.amount > 100"), "pay", { amount: 100 })).toBe("allow");
  });
  it("deny a call that no rule allows", () => expect(kindOf(written([]), "pay")).toBe("deny"));
  it("apply a deny if its field is missing", () => {
    expect(withInput(forbid("input.amount > 100"), "pay", {})).toBe("deny");
    expect(withInput(forbid("input.amount > 100"), "pay", null)).toBe("deny");
  });
  it("apply a deny if its value has another type", () => {
    for (const amount of ["5000", true, null, [5000], { value: 5000 }]) {
      expect(withInput(forbid("input.amount > 100"), "pay", { amount })).toBe("deny");
    }
  });
  it("do not treat a value of another type as unequal, as CEL would", () => {
    for (const env of [["prod"], 1, true, { name: "prod" }]) {
      expect(withInput(forbid('input.env == "prod"'), "pay", { env })).toBe("deny");
      const permit = written([{ tools: "pay", verdict: "allow", when: 'input.env != "prod"' }]);
      expect(withInput(permit, "pay", { env })).toBe("deny");
      expect(withInput(permit, "pay", { env: "test" })).toBe("allow");
    }
  });
  it("apply an ask or a manual if its field is missing", () => {
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
  it("skip an allow or a notify if its field is missing or has another type", () => {
    for (const verdict of ["allow", "notify"] as const) {
      const policy = written([{ tools: "pay", verdict, when: "input.amount <= 100" }]);
      expect(withInput(policy, "pay", {})).toBe("deny");
      expect(withInput(policy, "pay", { amount: "1" })).toBe("deny");
      expect(withInput(policy, "pay", { amount: 1 })).toBe(verdict);
    }
  });
  it("apply a rule about roles if there is no principal or it has no roles", () => {
    const policy = written([
      { tools: "pay", verdict: "allow" },
      { tools: "pay", verdict: "ask", when: '!("finance" in principal.roles)' },
    ]);
    expect(kindOf(policy, "pay", { principal: { id: "u", roles: ["finance"] } })).toBe("allow");
    expect(kindOf(policy, "pay", { principal: { id: "u", roles: [] } })).toBe("ask");
    expect(kindOf(policy, "pay", { principal: null })).toBe("ask");
    expect(kindOf(policy, "pay")).toBe("ask");
  });
  it("do not read inherited properties", () => {
    expect(withInput(forbid("has(input.force)"), "pay", Object.create({ force: true }))).not.toBe("deny");
    const permit = written([{ tools: "pay", verdict: "allow", when: "input.approved == true" }]);
    expect(withInput(permit, "pay", Object.create({ approved: true }))).toBe("deny");
    expect(withInput(permit, "pay", JSON.parse('{"__proto__": {"approved": true}}'))).toBe("deny");
  });
  it("hold if one side of || holds, even if the other is missing", () => {
    const policy = forbid("input.force == true || input.amount > 100");
    expect(withInput(policy, "pay", { amount: 200 })).toBe("deny");
    expect(withInput(policy, "pay", { force: false, amount: 1 })).toBe("allow");
    expect(withInput(policy, "pay", { amount: 1 })).toBe("deny");
  });
  it("apply a deny if its condition is neither true nor false", () => {
    expect(withInput(forbid("input.flag"), "pay", { flag: "no" })).toBe("deny");
    expect(withInput(forbid("input.flag"), "pay", { flag: false })).toBe("allow");
  });
  it("are refused at load if they use an unknown name", () => {
    const problem = problemOf({ tools: "pay", verdict: "deny", when: "inputs.amount > 100" });
    expect(problem).toMatch(
      /^when: .*inputs.*mean input\? Conditions can use input, principal, thread, tool, effects and reversible/,
    );
  });
  it("are refused at load if their condition does not parse", () => {
    expect(problemOf({ tools: "pay", verdict: "deny", when: "input.amount >" })).toMatch(/^when: /);
  });
});

describe("the examples of a rule (Codex execpolicy)", () => {
  const rule: Written = { tools: "pay_*", except: "pay_test", verdict: "ask", when: "input.amount > 100" };

  it("are accepted at load if the rule matches them as they say", () => {
    const match = [{ tool: "pay_now", input: { amount: 101 } }];
    const notMatch = ["lookup", "pay_test", { tool: "pay_now", input: { amount: 100 } }];
    expect(problemOf({ ...rule, match, notMatch })).toBe("no problem");
  });
  it("are reported if they must match and do not", () => {
    const match = [
      { tool: "pay_now", input: { amount: 101 } },
      { tool: "pay_now", input: { amount: 99 } },
    ];
    expect(problemOf({ ...rule, match })).toMatch(/^match\.1: the rule must match this example/);
  });
  it("are reported if they must not match and do", () => {
    expect(problemOf({ ...rule, notMatch: [{ tool: "pay_now", input: { amount: 500 } }] })).toMatch(
      /^notMatch\.0: /,
    );
    expect(problemOf({ tools: "p*", verdict: "deny", notMatch: ["pay"] })).toMatch(/^notMatch\.0: /);
  });
  it("are judged like calls, including doubt", () => {
    expect(problemOf({ ...rule, match: ["pay_now"] })).toBe("no problem");
    expect(problemOf({ ...rule, verdict: "allow", notMatch: ["pay_now"] })).toBe("no problem");
    expect(problemOf({ ...rule, verdict: "allow", match: ["pay_now"] })).toMatch(/^match\.0: /);
    expect(problemOf({ ...rule, verdict: "notify", match: ["pay_now"] })).toMatch(/^match\.0: /);
  });
  it("may name the principal of the call", () => {
    const byRole: Written = { tools: "pay", verdict: "ask", when: '!("lead" in principal.roles)' };
    expect(
      problemOf({ ...byRole, notMatch: [{ tool: "pay", principal: { id: "a", roles: ["lead"] } }] }),
    ).toBe("no problem");
    expect(problemOf({ ...byRole, notMatch: [{ tool: "pay", principal: { id: "a", roles: [] } }] })).toMatch(
      /^notMatch\.0/,
    );
  });
  it("may have effects, without which they have no preview", () => {
    const several: Written = { tools: "pay", verdict: "ask", when: "effects.size() > 1 && !reversible" };
    const effects = [{ target: "order A-1" }, { target: "order A-2", count: 3 }];
    expect(problemOf({ ...several, match: ["pay", { tool: "pay", effects }] })).toBe("no problem");
    expect(problemOf({ ...several, match: [{ tool: "pay", effects: [] }] })).toMatch(/^match\.0: /);
    expect(problemOf({ ...several, notMatch: [{ tool: "pay", effects, reversible: "30m" }] })).toBe(
      "no problem",
    );
    expect(problemOf({ ...several, notMatch: [{ tool: "pay", effects, reversible: false }] })).toMatch(
      /^notMatch\.0: /,
    );
  });
});

describe("MCP annotations", () => {
  const withHints = (policy: Policy, hints: Omit<McpFacts, "server">, server = "files") =>
    kindOf(policy, "tool", { mcp: { server, ...hints } });
  const open = code({ tool: allow() });
  const trusting = (rules: PolicyDefinition["tools"]) => code(rules, { mcp: { trustedServers: ["files"] } });

  it("count as destructive if destructiveHint is missing", () => {
    expect(withHints(open, {})).toBe("ask");
    expect(withHints(open, { readOnlyHint: false })).toBe("ask");
    expect(withHints(open, { destructiveHint: undefined })).toBe("ask");
  });
  it("tighten with destructiveHint", () => expect(withHints(open, { destructiveHint: true })).toBe("ask"));
  it("leave a harmless tool to its rules", () => {
    expect(withHints(open, { readOnlyHint: true })).toBe("allow");
    expect(withHints(open, { destructiveHint: false })).toBe("allow");
    expect(withHints(code({ tool: manual() }), { readOnlyHint: true })).toBe("manual");
  });
  it("do not loosen if the server is not trusted", () => {
    expect(withHints(code({}), { readOnlyHint: true, destructiveHint: false })).toBe("deny");
    expect(withHints(code({ tool: ask() }), { readOnlyHint: true })).toBe("ask");
  });
  it("do not replace a stricter default", () => {
    expect(withHints(code({}), {})).toBe("deny");
    expect(withHints(code({}), { destructiveHint: true })).toBe("deny");
    expect(withHints(code({}, { default: manual() }), { destructiveHint: true })).toBe("manual");
    expect(withHints(code({}, { default: allow() }), { destructiveHint: true })).toBe("ask");
  });
  it("allow a read-only tool without rules if the server is trusted", () => {
    expect(withHints(trusting({}), { readOnlyHint: true })).toBe("allow");
    expect(withHints(trusting({}), { readOnlyHint: true }, "another")).toBe("deny");
    expect(withHints(trusting({}), {})).toBe("deny");
  });
  it("do not loosen a rule even if the server is trusted", () => {
    expect(withHints(trusting({ tool: ask() }), { readOnlyHint: true })).toBe("ask");
    expect(withHints(trusting({ "*": deny() }), { readOnlyHint: true })).toBe("deny");
  });
  it("of a trusted server tighten with destructiveHint, and not by a missing one", () => {
    expect(withHints(trusting({ tool: allow() }), { destructiveHint: true })).toBe("ask");
    expect(withHints(trusting({ tool: allow() }), {})).toBe("allow");
  });
  it("count for tools whose names look like paths", () => {
    const call = { toolName: "files/delete", input: {}, mcp: { server: "files" } };
    expect(code({}, { default: allow() }).evaluate(call).kind).toBe("ask");
  });
  it("have no effect on tools outside MCP", () => expect(kindOf(open, "tool")).toBe("allow"));
});

describe("a faulty rule or call", () => {
  const broken = (decide: () => unknown) => code({ tool: decide as never, "*": allow() });

  it("denies if a function throws (AI SDK, OpenAI Agents)", () => {
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
  it("denies if a function returns no verdict, but a function may return undefined", () => {
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
  it("denies if a function is asynchronous, without an unhandled rejection", async () => {
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
  it("denies if a function changes the call, which stays the same for other functions", () => {
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
      const received: unknown[] = [];
      const decide = (at: PolicyCall) => {
        received.push(structuredClone({ toolName: at.toolName, input: at.input, principal: at.principal }));
        return allow();
      };
      const changing = (at: PolicyCall) => {
        change(at);
        return allow();
      };
      const policy = code({ "*": decide as never, "t*": changing as never, "*l": decide as never });
      expect([what, policy.evaluate(call).kind]).toEqual([what, "deny"]);
      expect(call).toEqual(before);
      expect(received).toEqual([before, before]);
    }
  });
  it("denies if a function misspells a restriction", () => {
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
  it("denies if the call cannot be read, whatever the default", () => {
    const open = code({}, { default: allow() });
    expect(kindOf(open, "tool")).toBe("allow");
    for (const toolName of [undefined, null, 7, ["tool"], {}]) {
      expect(open.evaluate({ toolName: toolName as never, input: {} }).kind).toBe("deny");
    }
    expect(kindOf(open, "tool", { thread: { id: "t", rules: 7 as never } })).toBe("deny");
  });
  it("does not reveal its error in the terms", () => {
    const policy = broken(() => {
      throw new Error("password=hunter2");
    });
    expect(JSON.stringify(policy.evaluate({ toolName: "tool", input: {} }).terms)).not.toContain("hunter2");
  });
  it("is reported at load, with its place, if the rule is invalid", () => {
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

describe("the terms of several rules", () => {
  const termsOf = (rules: Written[], input: object = {}) =>
    written(rules).evaluate({ toolName: "pay", input });

  it("exclude the requester if one rule does (GitHub)", () => {
    const rules: Written[] = [
      { tools: "pay", verdict: "ask", requesterMayNotApprove: true },
      { tools: "*", verdict: "ask", requesterMayNotApprove: false },
    ];
    expect(termsOf(rules).terms.requesterMayNotApprove).toBe(true);
  });
  it("require approvers to satisfy all rules (Gravitee, Permit)", () => {
    const rules: Written[] = [
      { tools: "pay", verdict: "ask", approvers: { roles: ["finance", "lead"] } },
      { tools: "*", verdict: "ask", approvers: { roles: ["lead", "support"] } },
      { tools: "p*", verdict: "ask" },
    ];
    expect(termsOf(rules).terms.approvers).toEqual({ roles: ["lead"], ids: [] });
  });
  it("deny the call at once if nobody can satisfy all rules", () => {
    const rules: Written[] = [
      { tools: "pay", verdict: "ask", approvers: { roles: ["finance"] } },
      { tools: "*", verdict: "ask", approvers: { roles: ["lead"] } },
    ];
    expect(termsOf(rules).kind).toBe("deny");
    expect(termsOf([...rules, { tools: "pay", verdict: "manual" }]).kind).toBe("deny");
  });
  it("apply the approvers, timeout and risk of an ask rule to a manual verdict", () => {
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
  it("let an edit change only fields that every rule names (LangChain)", () => {
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
  it("allow edits if a rule names editable fields and no decisions", () => {
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
  it("do not include what a looser rule says about its own verdict (Cloudflare)", () => {
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
  it("have the first sentences that a rule of the verdict has, about the call and about its result", () => {
    const rules: Written[] = [
      { tools: "*", verdict: "notify", resultSummary: "Of a looser rule" },
      { tools: "*", verdict: "ask", summary: "Pay" },
      { tools: "pay", verdict: "ask", summary: "Pay again", resultSummary: "Paid {{result.amount}}" },
      { tools: "pay", verdict: "ask", resultSummary: "Paid" },
    ];
    expect(termsOf(rules).terms).toMatchObject({ summary: "Pay", resultSummary: "Paid {{result.amount}}" });
    expect(termsOf([{ tools: "pay", verdict: "ask" }]).terms).toMatchObject({ resultSummary: null });
  });
  it("have the first unit that a rule of the verdict gives an argument", () => {
    const rules: Written[] = [
      { tools: "*", verdict: "notify", units: { amount: "GBP", fee: "EUR" } },
      { tools: "*", verdict: "ask", units: { amount: "EUR" } },
      { tools: "pay", verdict: "ask", units: { amount: "USD", "parcel.weight": "kg" } },
    ];
    expect(termsOf(rules).terms).toMatchObject({ units: { amount: "EUR", "parcel.weight": "kg" } });
    expect(termsOf(rules).terms?.units).not.toHaveProperty("fee");
    expect(termsOf([{ tools: "pay", verdict: "ask" }]).terms).toMatchObject({ units: {} });
  });
  it("have the first label and the first names that rules of the verdict give", () => {
    const rules: Written[] = [
      { tools: "*", verdict: "notify", label: "Anything", names: { amount: "Sum" } },
      { tools: "*", verdict: "ask", names: { "order.id": "Order" } },
      {
        tools: "pay",
        verdict: "ask",
        label: "Pay supplier",
        names: { "order.id": "Number", to: "Supplier" },
      },
      { tools: "pay", verdict: "ask", label: "Transfer" },
    ];
    expect(termsOf(rules).terms).toMatchObject({
      label: "Pay supplier",
      names: { "order.id": "Order", to: "Supplier" },
    });
    expect(termsOf(rules).terms?.names).not.toHaveProperty("amount");
    expect(termsOf([{ tools: "pay", verdict: "ask" }]).terms).toMatchObject({ label: null, names: {} });
  });
  it("list the reason of every rule that asked, with what it adds, in the order of the rules", () => {
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
  it("cannot be changed by the caller", () => {
    const policy = code({ pay: ask({ approvers: { roles: ["finance"] } }) });
    const { terms } = policy.evaluate({ toolName: "pay", input: {} });
    expect(() => terms.approvers.roles.push("me")).toThrow(TypeError);
    expect(policy.evaluate({ toolName: "pay", input: {} }).terms.approvers.roles).toEqual(["finance"]);
  });
  it("redact what any matching rule redacts, even one that allows (hermes-agent)", () => {
    const rules: Written[] = [
      { tools: "*", verdict: "allow", redact: ["password"] },
      { tools: "pay", verdict: "ask", redact: ["card.number"] },
    ];
    expect(termsOf(rules).terms.redact).toEqual(["card.number", "password"]);
  });
  it("never offer approval or edits under manual", () => {
    const policy = code({ pay: manual({ decisions: ["approve", "edit"] }) });
    expect(policy.evaluate({ toolName: "pay", input: {} }).terms.decisions).toEqual(["deny"]);
    const parsed = checkedRuleSchema.safeParse({ tools: "pay", verdict: "manual", decisions: ["approve"] });
    expect(parsed.error?.issues[0]?.message).toMatch(/not allowed with verdict manual/);
  });
  it.each([0, 1.5, 21])("do not accept a quorum of %s", (quorum) => {
    expect(checkedRuleSchema.safeParse({ tools: "pay", verdict: "ask", quorum }).success).toBe(false);
  });
});

describe("a policy", () => {
  it("explains a verdict by every matching rule of every layer", () => {
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
  it("lists the rules for the tool that do not apply, and does not say that none covers it", () => {
    const policy = written([
      { id: "large", tools: "pay", verdict: "ask", when: "input.amount > 100" },
      { id: "small", tools: "pay", verdict: "allow", when: "input.note == ''" },
      { id: "other", tools: "refund", verdict: "allow", when: "false" },
    ]);
    const { kind, terms, skipped } = policy.explain({ toolName: "pay", input: { amount: 1 } });
    expect([kind, terms.reason]).toEqual(["deny", "No rule of the policy applies to this call"]);
    expect(skipped).toEqual([
      { id: "large", layer: "code", because: "input.amount > 100 is false" },
      {
        id: "small",
        layer: "code",
        because: "input.note == '' could not be evaluated (input.note is missing)",
      },
    ]);
    const unnamed = policy.explain({ toolName: "send", input: {} });
    expect([unnamed.terms.reason, unnamed.skipped]).toEqual(["No rule of the policy covers this tool", []]);
    const function_ = code({ pay: () => undefined }).explain({ toolName: "pay", input: {} });
    expect(function_.skipped).toMatchObject([{ because: "the function returned no verdict" }]);
  });
  it("explains a verdict by the default, a missing profile or a thread rule", () => {
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
  it("has a version that changes with its rules, functions, default, profiles and trusted servers", () => {
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
