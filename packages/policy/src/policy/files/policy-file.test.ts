import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { ToolFacts } from "../policy-call.js";
import { joinPolicyFiles } from "./join-policy-files.js";
import { parsePolicyFile } from "./policy-file.js";
import { formatProblem } from "./policy-problem.js";
import { readPolicyFile } from "./read-policy-file.js";

/** The problems of a file, as people read them. */
function problems(text: string, options: { file?: string; tools?: ToolFacts[] } = {}): string[] {
  const parsed = parsePolicyFile(text, { file: "p.yaml", ...options });
  return parsed.ok ? [] : parsed.problems.map(formatProblem);
}

function policyOf(...texts: string[]) {
  const joined = joinPolicyFiles(texts.map((text) => parsePolicyFile(text, { file: "p.yaml" })));
  if (!joined.ok) throw new Error(joined.problems.map(formatProblem).join("\n"));
  return joined.policy;
}
const kind = (text: string, toolName: string, input: unknown = {}, profile?: string) =>
  policyOf(text).evaluate({ toolName, input, profile }).kind;

const rich = `
version: 1
default: { verdict: ask, risk: low }
defaultProfile: day
mcp: { trustedServers: [files] }
rules:
  - id: refunds
    tools: [issue_refund, "refund_*"]
    except: refund_status
    verdict: ask
    when: input.amount > 100 && !("finance" in principal.roles)
    reason: Large refunds are finance's
    summary: Refund {{amount}} EUR
    risk: HIGH
    approvers: { roles: [finance] }
    timeout: 30m
    match:
      - { tool: issue_refund, input: { amount: 101 }, principal: { id: u, roles: [] } }
    notMatch:
      - refund_status
      - { tool: issue_refund, input: { amount: 3 } }
  - { tools: "*refund*", verdict: allow }
profiles:
  day: { rules: [{ tools: night_job, verdict: deny }] }
  night: { extends: day, rules: [{ tools: mail, verdict: deny }] }
`;

describe("a file in the native format", () => {
  it("defines rules, conditions, terms, a default and profiles", () => {
    const policy = policyOf(rich);
    const principal = { id: "u", roles: ["support"] };
    const refund = policy.evaluate({ toolName: "issue_refund", input: { amount: 500 }, principal });
    expect(refund).toMatchObject({
      kind: "ask",
      terms: {
        risk: "high",
        timeoutMs: 1_800_000,
        approvers: { roles: ["finance"] },
        summary: "Refund {{amount}} EUR",
      },
    });
    expect(kind(rich, "issue_refund", { amount: 5 })).toBe("allow");
    expect(kind(rich, "refund_status")).toBe("allow");
    expect(kind(rich, "unheard_of")).toBe("ask");
    expect(kind(rich, "night_job")).toBe("deny");
    expect(kind(rich, "mail")).toBe("ask");
    expect(kind(rich, "mail", {}, "night")).toBe("deny");
    expect(kind(rich, "night_job", {}, "night")).toBe("deny");
  });

  it("gives the same policy in JSON as in YAML", () => {
    const json = `{ "version": 1, "rules": [{ "verdict": "ask", "tools": ["a"] }] }`;
    const yaml = "version: 1\nrules:\n  - tools: a\n    verdict: ask\n";
    const version = (text: string, file: string) => joinPolicyFiles([parsePolicyFile(text, { file })]);
    expect(version(json, "a.json")).toMatchObject({ policy: { version: policyOf(yaml).version } });
    expect(version('\uFEFF{\n\t"version": 1,\n\t"rules": []\n}', "a.json").ok).toBe(true);
  });

  it("has a version that depends on its content, and not on comments or the order of fields", () => {
    const { version } = policyOf(rich);
    expect(policyOf(`# why\n${rich}`).version).toBe(version);
    expect(policyOf(rich.replace("timeout: 30m", "timeout: 31m")).version).not.toBe(version);
    expect(policyOf("rules: []\nversion: 1").version).toBe(policyOf("version: 1\nrules: []").version);
  });

  it("denies a tool without a rule if it has no default", () => {
    expect(kind("version: 1\nrules: []", "x")).toBe("deny");
  });

  it("accepts the five levels of supervision and risks in any letter case", () => {
    const file = fileURLToPath(new URL("../fixtures/supervision.yaml", import.meta.url));
    const joined = joinPolicyFiles([readPolicyFile({ file })]);
    const verdict = (toolName: string) =>
      joined.ok ? joined.policy.evaluate({ toolName, input: {} }) : undefined;
    expect(verdict("read_file")).toMatchObject({ kind: "allow", terms: { risk: "low" } });
    expect(verdict("list_files")).toMatchObject({ kind: "notify" });
    expect(verdict("write_file")).toMatchObject({ kind: "ask", terms: { risk: "medium" } });
    expect(verdict("sign_contract")).toMatchObject({ kind: "manual", terms: { risk: "high" } });
    expect(verdict("execute_shell")).toMatchObject({ kind: "deny", terms: { risk: "critical" } });
  });
});

const rule = (...lines: string[]) => `version: 1\nrules:\n  - ${lines.join("\n    ")}\n`;

/** The warnings of a valid file, as people read them. */
function warnings(text: string): string[] {
  const parsed = parsePolicyFile(text, { file: "p.yaml" });
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join("\n"));
  return parsed.notes.map(formatProblem);
}

describe("a policy file gets a warning", () => {
  const asking = (...lines: string[]) => rule("tools: a", "verdict: ask", ...lines);

  it("for an escalation that the timeout comes before", () => {
    const steps = "escalation: [{ after: 30m, remind: true }, { after: 60m, escalateTo: [lead] }]";
    expect(warnings(asking("timeout: 1h", steps))).toEqual([
      "p.yaml:6:57 rules.0.escalation.1.after: does not happen, because an undecided call expires after 1 hour, unless somebody extends its deadline; use a shorter time, or a longer timeout",
    ]);
    expect(warnings(asking("timeout: 1h", "extensions: 0", steps))).toEqual([
      expect.stringContaining("expires after 1 hour; use a shorter time"),
    ]);
    expect(warnings(asking("timeout: 61m", steps))).toEqual([]);
    expect(warnings(asking(steps))).toEqual([]);
  });

  it("for edits and grants with a quorum", () => {
    const fields = ["editable: [amount]", "grantable: [thread]"];
    expect(warnings(asking("quorum: 2", ...fields))).toEqual([
      "p.yaml:6:15 rules.0.editable: has no effect with quorum 2, because no single person may change the call; omit editable, or set quorum to 1",
      "p.yaml:7:16 rules.0.grantable: has no effect with quorum 2, because no single person may allow later calls; omit grantable, or set quorum to 1",
    ]);
    expect(warnings(asking("quorum: 1", ...fields))).toEqual([]);
    expect(warnings(asking("quorum: 2", "editable: []"))).toEqual([]);
  });

  it("for an id that two rules have", () => {
    const named = (id: string) => `{ id: ${id}, tools: a, verdict: ask }`;
    const profiles = `profiles: { p: { rules: [${named("x")}] } }`;
    expect(warnings(`version: 1\nrules: [${named("x")}, ${named("y")}]\n${profiles}`)).toEqual([
      "p.yaml:3:32 profiles.p.rules.0.id: is the id of another rule, too, so explanations and the audit log cannot tell them apart; give each rule its own id",
    ]);
  });
});

describe("an invalid policy file", () => {
  it.each([
    [
      "an unknown field",
      rule("tools: a", "verdict: ask", "aprovers: {}"),
      'p.yaml:5:5 rules.0.aprovers: unknown field; did you mean "approvers"?',
    ],
    [
      "a field of other systems",
      rule("tools: a", "action: ask"),
      'p.yaml:4:5 rules.0.action: unknown field; did you mean "verdict"?',
    ],
    [
      "another name of the default",
      "version: 1\ndefaultVerdict: allow\nrules: []",
      'p.yaml:2:1 defaultVerdict: unknown field; did you mean "default"?',
    ],
    [
      "a default as in code",
      "version: 1\ndefault: allow()\nrules: []",
      'p.yaml:2:10 default: must be one of allow, notify, ask, manual, deny; did you mean "allow"?',
    ],
    [
      "tools beside the rules",
      "version: 1\nrules: []\ntools: { a: ask }",
      'p.yaml:3:1 tools: unknown field; did you mean "rules"?',
    ],
    [
      "safety checks, which are functions",
      rule("tools: a", "verdict: ask", "checks: [balance]"),
      "p.yaml:5:5 rules.0.checks: unknown field; checks are functions, so write them in code: ask({ checks: [...] }) in definePolicy, or withChecks(tool, [...])",
    ],
    [
      "a field far from any other",
      "version: 1\nrules: []\nmcp: { zzzzzzzz: 1 }",
      "p.yaml:3:8 mcp.zzzzzzzz: unknown field; remove it, or use one of trustedServers",
    ],
    [
      "a key that appears twice",
      rule("tools: a", "verdict: deny", "verdict: allow"),
      "p.yaml:5:5 rules.0.verdict: this key appears twice; keep one of the two",
    ],
    [
      "a verdict that does not exist",
      rule("tools: a", "verdict: alow"),
      'p.yaml:4:14 rules.0.verdict: must be one of allow, notify, ask, manual, deny; did you mean "allow"?',
    ],
    [
      "a level of supervision that does not exist",
      rule("tools: a", "supervision: CONFRIM"),
      'p.yaml:4:18 rules.0.supervision: must be one of automatic, notify, confirm, manual, deny; did you mean "confirm"?',
    ],
    [
      "no verdict",
      rule("tools: a"),
      "p.yaml:3:5 rules.0: requires a verdict: allow, notify, ask, manual or deny",
    ],
    [
      "verdict and supervision at once",
      rule("tools: a", "verdict: deny", "supervision: AUTOMATIC"),
      "p.yaml:3:5 rules.0: has both verdict and supervision, which mean the same; keep one",
    ],
    ["no tools", rule("verdict: ask"), "p.yaml:3:5 rules.0.tools: is missing; add text or a list"],
    [
      "another system's field for the tools",
      rule("on: a", "verdict: ask"),
      'p.yaml:3:5 rules.0.on: unknown field; did you mean "tools"?',
    ],
    [
      "a version in quotes",
      'version: "1"\nrules: []',
      "p.yaml:1:10 version: must be 1, not text; write 1 without quotes",
    ],
    [
      "a word that YAML 1.1 read as false",
      rule("tools: a", "verdict: ask", "requesterMayNotApprove: no"),
      "p.yaml:5:29 rules.0.requesterMayNotApprove: must be true or false, not text; in YAML 1.2 and JSON, no is a text; write false",
    ],
    [
      "a word that YAML 1.1 read as true",
      rule("tools: a", "verdict: ask", "distinctRoles: Yes"),
      "p.yaml:5:20 rules.0.distinctRoles: must be true or false, not text; in YAML 1.2 and JSON, Yes is a text; write true",
    ],
    [
      "a number in quotes",
      rule("tools: a", "verdict: ask", 'quorum: "2"'),
      "p.yaml:5:13 rules.0.quorum: must be a number, not text; write 2 without quotes",
    ],
    [
      "a number in place of a text",
      rule("tools: a", "verdict: ask", "reason: 30"),
      'p.yaml:5:13 rules.0.reason: must be text, not number 30; put it in quotes: "30"',
    ],
    [
      "a timeout without a unit",
      rule("tools: a", "verdict: ask", "timeout: 30"),
      "p.yaml:5:14 rules.0.timeout: needs a unit; write 30m for minutes, 30s for seconds",
    ],
    [
      "a hold time without a unit",
      rule("tools: a", "verdict: ask", "holdFor: 30"),
      'p.yaml:5:14 rules.0.holdFor: must be 0 or a duration between one second and one minute, such as "10s"',
    ],
    [
      "a time to undo without a unit",
      rule("tools: a", "verdict: ask", "reversible: 30"),
      'p.yaml:5:17 rules.0.reversible: must be true, false or a duration, such as "30m"',
    ],
    [
      "a star without quotes",
      rule("tools: *", "verdict: ask"),
      'p.yaml:3:12 rules.0.tools: cannot be parsed: "*" begins an alias; put it in quotes: "*"',
    ],
    [
      "a glob in a list without quotes",
      rule("tools: [refund, *_order]", "verdict: ask"),
      'p.yaml:3:21 rules.0.tools.1: cannot be parsed: no anchor before this has the name "_order"; put it in quotes: "*_order"',
    ],
    [
      "a negated glob without quotes",
      rule("tools: !time__*", "verdict: ask"),
      'p.yaml:3:12 rules.0.tools: cannot be parsed: Unresolved tag: !time__*; a glob must not begin with "!"; write "!(time__*)" for every tool that time__* does not match',
    ],
    [
      "a negated glob without quotes in a profile's list",
      "evaluation:\n  profiles:\n    p: { denylist: [!time__*] }",
      'p.yaml:3:21 evaluation.profiles.p.denylist: cannot be parsed: Unresolved tag: !time__*; a glob must not begin with "!"; write "!(time__*)" for every tool that time__* does not match',
    ],
    [
      "a text with a colon",
      rule("tools: a", "verdict: ask", "reason: Note: two people # a comment"),
      'p.yaml:5:13 rules.0.reason: cannot be parsed: the text has ": " in it; put it in quotes: "Note: two people"',
    ],
    [
      "a text with a colon within braces",
      "version: 1\nrules: [{ tools: a, reason: Note: two people, verdict: ask }]",
      'p.yaml:2:29 rules.0.reason: cannot be parsed: the text has ": " in it; put it in quotes: "Note: two people"',
    ],
    [
      "a text that begins with a placeholder",
      rule("tools: a", "verdict: ask", "summary: {{amount}} EUR"),
      'p.yaml:5:15 rules.0.summary: cannot be parsed: "{" begins a set of fields; put it in quotes: "{{amount}} EUR"',
    ],
    [
      "a text that begins with a reserved character",
      rule("tools: a", "verdict: ask", "reason: @ada asks"),
      'p.yaml:5:13 rules.0.reason: cannot be parsed: Plain value cannot start with reserved character @; put it in quotes: "@ada asks"',
    ],
    [
      "a bracket that is not closed",
      rule("tools: [a, b", "verdict: ask"),
      'p.yaml:3:12 rules.0.tools: cannot be parsed: the "[" is not closed; add "]"',
    ],
    [
      "a bracket in JSON that is not closed",
      '{"version": 1, "rules": [{"tools": "a", "verdict": "ask"}}',
      'p.yaml:1:25 rules: cannot be parsed: the "[" is not closed; add "]"',
    ],
    [
      "an empty list of tools",
      rule("tools: []", "verdict: ask"),
      "p.yaml:3:12 rules.0.tools: must not be empty; add a value, or omit the field",
    ],
    ["no version", "rules: []", "p.yaml:1:1 version: is missing; add 1"],
    ["no rules", "version: 1", "p.yaml:1:1 rules: is missing; add a list"],
    [
      "a condition that is not CEL",
      rule("tools: a", "verdict: ask", 'when: "input.amount >"'),
      "p.yaml:5:11 rules.0.when: Unexpected token: EOF",
    ],
    [
      "a condition with an unknown variable",
      rule("tools: a", "verdict: ask", "when: inptu.amount > 3"),
      "p.yaml:5:11 rules.0.when: Unknown variable: inptu; did you mean input? Conditions can use input, principal, thread, tool, effects and reversible",
    ],
    [
      "an example that must match and does not",
      rule("tools: a", "verdict: ask", "match:", "  - a", "  - b"),
      "p.yaml:7:9 rules.0.match.1: the rule must match this example, but does not",
    ],
    [
      "an example that must not match and does",
      rule("tools: a", "verdict: ask", "notMatch: [{ tool: a }]"),
      "p.yaml:5:16 rules.0.notMatch.0: the rule must not match this example, but does",
    ],
    [
      "a timeout that is not a duration",
      rule("tools: a", "verdict: ask", "timeout: soon"),
      'p.yaml:5:14 rules.0.timeout: must be a duration between one second and 365 days, such as "30m"',
    ],
    [
      "an invalid name of a profile",
      "version: 1\nrules: []\nprofiles:\n  a-b: {}",
      "p.yaml:4:3 profiles.a-b: must be 1 to 32 letters, digits or underscores",
    ],
    [
      "an invalid rule in a profile",
      "version: 1\nrules: []\nprofiles:\n  p:\n    rules:\n      - { tools: a, verdict: ask, when: '1 +' }",
      "p.yaml:6:41 profiles.p.rules.0.when: Unexpected token: EOF",
    ],
    [
      "a key that is not allowed",
      "version: 1\nrules: []\n__proto__: {}",
      "p.yaml:3:1 __proto__: this key is not allowed; rename it",
    ],
    ["an empty file", "", 'p.yaml:1:1: the file is empty; begin with "version: 1" and "rules:"'],
    [
      "a list in place of fields",
      "- 1",
      'p.yaml:1:1: a policy must be a set of fields; begin with "version: 1" and "rules:"',
    ],
  ])("is reported with file, line, field and a fix: %s", (_what, text, expected) => {
    expect(problems(text)).toContain(expected);
  });

  it("has all its problems reported at once", () => {
    expect(problems(rule("tools: a", "verdict: alow", "riks: low", "timeout: soon"))).toHaveLength(3);
  });

  it("is reported if its text is neither JSON nor YAML", () => {
    expect(problems("version: 1\nrules: [")[0]).toMatch(/^p\.yaml:2:8 rules: cannot be parsed: /);
    expect(problems("a: *b")).toEqual([expect.stringMatching(/^p\.yaml:1:4 a: cannot be parsed: no anchor/)]);
    expect(problems("a: [*b, &b c]")).toHaveLength(1);
    expect(problems("a: &b [*b]")[0]).toMatch(/cannot be read: .*circular.*; remove the alias$/);
    expect(problems("a: !foo 1")[0]).toMatch(/^p\.yaml:1:4 a: cannot be parsed: Unresolved tag/);
    expect(problems("version: 1\n---\nversion: 1")[0]).toMatch(/^p\.yaml:2:1/);
  });

  it("is reported if it contains YAML but is named .json", () => {
    expect(problems("version: 1\nrules: []", { file: "p.json" })[0]).toMatch(
      /write JSON, or name the file \.yaml$/,
    );
  });

  it("is reported if the tools are known and it names another tool exactly", () => {
    const text = rule("tools: [isue_refund, 'x_*', issue_refund]", "except: lokup", "verdict: ask");
    expect(problems(text, { tools: [{ toolName: "issue_refund" }, { toolName: "lookup" }] })).toEqual([
      'p.yaml:3:13 rules.0.tools.0: unknown tool "isue_refund"; did you mean "issue_refund"?',
      'p.yaml:4:13 rules.0.except: unknown tool "lokup"; did you mean "lookup"?',
    ]);
  });

  it("is reported if profiles of several files extend each other in a cycle", () => {
    const a = "version: 1\nrules: []\nprofiles:\n  a: { extends: b }";
    const b = "version: 1\nrules: []\nprofiles:\n  b: { extends: a }";
    const joined = joinPolicyFiles([
      parsePolicyFile(a, { file: "a.yaml" }),
      parsePolicyFile(b, { file: "b.yaml" }),
    ]);
    expect(joined.ok ? [] : joined.problems.map(formatProblem)).toEqual([
      "a.yaml:4:17 profiles.a.extends: profiles extend each other in a cycle: a → b → a",
    ]);
  });

  it("is reported if it does not exist", () => {
    const parsed = readPolicyFile({ file: "nowhere/policy.yaml" });
    expect(parsed.ok ? [] : parsed.problems.map(formatProblem)).toEqual([
      "nowhere/policy.yaml:1:1: the file does not exist; create it, or correct the path",
    ]);
  });
});

describe("a large or deeply nested policy file", () => {
  const timeoutMs = 30_000;

  it(
    "is read within 30 seconds if many rules share one list of names",
    () => {
      const toolNames = Array.from({ length: 2_000 }, (_, index) => `tool_${index}`);
      const text = `version: 1\nrules:\n  - { tools: &t [${toolNames}], verdict: ask }\n${"  - { tools: *t, verdict: deny }\n".repeat(90)}`;
      expect(problems(text, { tools: toolNames.map((toolName) => ({ toolName })) })).toEqual([]);
    },
    timeoutMs,
  );

  it(
    "is read within 30 seconds if profiles extend each other along very many paths",
    () => {
      const levels = Array.from({ length: 200 }, (_, level) => {
        const next = level === 199 ? "" : `extends: [a${level + 1}, b${level + 1}]`;
        const rules = level === 199 ? "rules: [{ tools: pay, verdict: deny }]" : next;
        return `  a${level}: { ${rules} }\n  b${level}: { ${next} }\n`;
      });
      const text = `version: 1\ndefault: allow\nrules: []\nprofiles:\n${levels.join("")}`;
      expect(kind(text, "pay", {}, "a0")).toBe("deny");
      expect(kind(text, "pay", {}, "b199")).toBe("allow");
    },
    timeoutMs,
  );

  it(
    "is read within 30 seconds if 5,000 profiles extend each other in a row",
    () => {
      const row = Array.from({ length: 5_000 }, (_, index) => `  p${index}: { extends: p${index + 1} }\n`);
      const last = "  p5000: { rules: [{ tools: pay, verdict: deny }] }\n";
      const text = `version: 1\ndefault: allow\nrules: []\nprofiles:\n${row.join("")}${last}`;
      expect(kind(text, "pay", {}, "p0")).toBe("deny");
    },
    timeoutMs,
  );

  it("is reported as invalid, without a throw, if a condition nests too deeply", () => {
    for (const when of [`${"!".repeat(100_000)}true`, `${"input.a || ".repeat(5_000)}true`]) {
      expect(problems(`version: 1\nrules:\n  - { tools: a, verdict: ask, when: "${when}" }`)).toHaveLength(1);
    }
  });
});
