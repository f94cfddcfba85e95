import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "./run-cli.js";

let folder = "";
const at = (name: string) => join(folder, name);
const written: Record<string, string> = {
  "policy.yaml": `version: 1
rules:
  - { id: big, tools: issue_refund, verdict: ask, when: input.amount > 100, approvers: { roles: [finance] }, timeout: 30m }
  - { tools: "*refund*", verdict: allow }
profiles:
  night: { rules: [{ tools: "*", verdict: deny, reason: Nobody is awake }] }
`,
  "tool-approvals.json": '{ "tools": { "refund_status": { "require_approval": true } } }',
  "bridge.json": `{
  "evaluation": {
    "profiles": { "p": { "asklist": ["x"], "elicitationFallback": "allow" } }
  }
}`,
  "loosening.json": '{ "require_approval_by_default": false }',
  "types.yaml": `version: 1
rules:
  - { tools: a, verdict: allow, when: type(input.n) == double && input.n < 5 }
  - { tools: a, verdict: ask, when: type(input.n) == int && input.n > 5 }
`,
  "default.yaml": "version: 1\ndefault: ask\nrules:\n  - { tools: a, verdict: allow }\n",
  "insists.yaml":
    "version: 1\ndefault: { verdict: ask, withoutPreview: deny, approvers: { roles: [a] } }\nrules: []\n",
  "leads.yaml": "version: 1\ndefault: { verdict: ask, approvers: { roles: [lead] } }\nrules: []\n",
  "terms.yaml": `version: 1
rules:
  - { tools: pay, verdict: ask, quorum: 2, distinctRoles: true, denials: 2, requesterMayNotApprove: true }
  - { tools: pay, verdict: ask, approvers: { roles: [lead, finance] }, timeout: 2 hours, extensions: 0 }
  - { tools: pay, verdict: ask, escalation: [{ after: 1h, escalateTo: [cfo] }, { after: 30m, remind: true }] }
  - { tools: pay, verdict: ask, delegable: true, holdFor: 0, idempotent: true, redactPatterns: [email] }
  - { tools: pay, verdict: ask, summary: "Pay {{amount}}", units: { amount: EUR } }
  - { tools: move, verdict: ask, editable: [amount], grantable: [user] }
`,
  "skipped.yaml": `version: 1
rules:
  - { id: large, tools: pay, verdict: ask, when: input.amount > 100 }
  - { id: small, tools: pay, verdict: allow, when: input.currency == "EUR" }
`,
  "who.yaml": `version: 1
rules:
  - { tools: a, verdict: allow }
  - { tools: a, verdict: ask, when: 'principal.id == "ada" && "lead" in principal.roles && thread.id == "t1"' }
`,
  "globs.yaml": `version: 1
default: allow
rules: [{ tools: "files_*", verdict: ask }]
`,
  "keys.json": JSON.stringify({
    require_approval_by_default: false,
    tools: {
      "code-executor_run_python": { require_approval: true },
      notes_read: { require_approval: false },
    },
  }),
  "key-cases.json": JSON.stringify([
    { tool: "code-executor-run_python", mcp: { server: "code-executor", readOnlyHint: true }, expect: "ask" },
    { tool: "code-executor-run_python", expect: "allow" },
  ]),
  "key-calls.jsonl": `${JSON.stringify({
    tool: "code-executor__run_python",
    input: {},
    mcp: { server: "code-executor", readOnlyHint: true },
  })}\n`,
  "open.json": JSON.stringify({ require_approval_by_default: false }),
  "mcp.yaml": `version: 1
mcp: { trustedServers: [trusted] }
rules: [{ tools: warehouse-echo, verdict: allow }]
`,
  "effects.yaml": `version: 1
rules:
  - { tools: purge, verdict: allow, withoutPreview: ask }
  - { tools: purge, verdict: deny, when: effects.size() > 1 }
  - { tools: archive, verdict: allow, when: reversible }
`,
  "effects.json": '[{ "target": "table a" }, { "target": "table b", "count": 3 }]',
  "effect-cases.json": JSON.stringify([
    { tool: "archive", effects: [], reversible: "30m", expect: "allow" },
    { tool: "archive", effects: [], reversible: false, expect: "deny" },
    { tool: "archive", reversible: true, expect: "deny" },
  ]),
  "effect-calls.jsonl": [{ effects: [] }, {}, { effects: [{ target: "a" }, { target: "b" }] }]
    .map((preview) => `${JSON.stringify({ tool: "purge", input: {}, ...preview })}\n`)
    .join(""),
  "purge.yaml": "version: 1\nrules: [{ tools: purge, verdict: allow }]\n",
  "bad.yaml": "version: 1\nrules:\n  - { tools: a, verdict: alow }\n",
  "negated.json": JSON.stringify({ evaluation: { profiles: { p: { denylist: ["!time__*"] } } } }),
  "candidate.yaml": `version: 1
rules:
  - { tools: issue_refund, verdict: ask, when: input.amount > 50, approvers: { roles: [lead] } }
  - { tools: "*refund*", verdict: allow }
  - { tools: lookup, verdict: allow }
`,
  "cases.yaml": `- { name: small, tool: issue_refund, input: { amount: 3 }, expect: allow }
- { tool: issue_refund, input: { amount: 300 }, principal: { id: ada }, thread: t1, expect: ask }
- { tool: issue_refund, input: { amount: 3 }, profile: night, expect: deny }
`,
  "failing.json": '[{ "tool": "wire_money", "expect": "ask" }]',
  "wrong.yaml": "- tool: a\n  expect: alow\n",
  "none.yaml": "[]",
  "input.json": '{ "amount": 500 }',
  "calls.jsonl": [
    { tool: "issue_refund", input: { amount: 3 } },
    { tool: "issue_refund", input: { amount: 70 } },
    { tool: "issue_refund", input: { amount: 80 }, principal: { id: "ada", roles: [] }, thread: "t1" },
    { tool: "issue_refund", input: { amount: 500 } },
    { tool: "lookup", input: {} },
  ]
    .map((call) => `${JSON.stringify(call)}\n`)
    .join(""),
  "broken.jsonl": '{ "tool": "a", "input": {} }\n{ "tol": "a" }\n',
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-cli-"));
  for (const [name, text] of Object.entries(written)) writeFileSync(at(name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs one command line, in which @name@ stands for the path of a file. */
async function run(...argv: string[]) {
  let out = "";
  let err = "";
  const code = await runCli(
    argv.map((word) => word.replace(/@([^@]+)@/, (_, name: string) => at(name))),
    {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
    },
  );
  return { code, out, err };
}

it("--version prints the version of the package", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(await run("--version")).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

describe("policy check", () => {
  it("reports that files are valid, with warnings", async () => {
    const { code, out } = await run("policy", "check", "@policy.yaml@", "@tool-approvals.json@");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^warning: .*tool-approvals\.json:1:1: does not set require_approval_by_default.*denies them instead/,
    );
    expect(out).toMatch(/policy\.yaml and .*: valid \(version [0-9a-f]{12}, profiles night\)\n$/);
  });

  it("reports a problem with file, line, field and a fix", async () => {
    const { code, out, err } = await run("policy", "check", "@bad.yaml@");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toBe(
      `${at("bad.yaml")}:3:26 rules.0.verdict: must be one of allow, notify, ask, manual, deny; did you mean "allow"?\n`,
    );
  });

  it("refuses a glob with a leading !, which would match nothing, and says what to write instead", async () => {
    const { code, out, err } = await run("policy", "check", "@negated.json@");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(
      /negated\.json:1:\d+ evaluation\.profiles\.p\.denylist\.0: must not begin with "!"; write "!\(time__\*\)" for every/,
    );
  });

  it("warns about differences to the programs whose formats it reads, with the reason", async () => {
    const { code, out } = await run("policy", "check", "@bridge.json@", "@loosening.json@");
    expect(code).toBe(0);
    expect(out.match(/^warning: .*$/gm)).toEqual([
      expect.stringMatching(
        /bridge\.json:3:\d+ evaluation\.profiles\.p\.elicitationFallback: "allow" never applies: a tool on the asklist always waits in the inbox/,
      ),
      expect.stringMatching(
        /bridge\.json:2:\d+ evaluation: has no defaultProfile.* because a tool runs only if a rule allows it; /,
      ),
      expect.stringMatching(
        /loosening\.json:1:\d+ require_approval_by_default: does not remove an approval .* because the strictest of all files wins/,
      ),
    ]);
  });

  it("warns about a condition that never holds", async () => {
    const { code, out } = await run("policy", "check", "@types.yaml@");
    expect(code).toBe(0);
    expect(out.match(/^warning: .*$/gm)).toEqual([
      expect.stringMatching(
        /types\.yaml:4:\d+ rules\.1\.when: type\(input\.n\) == int is never true: arguments are JSON, and all JSON numbers/,
      ),
    ]);
  });

  it("reports misspelt tool names", async () => {
    const { code, err } = await run("policy", "check", "@policy.yaml@", "--tools", "issue_refunds, lookup");
    expect(code).toBe(1);
    expect(err).toContain('rules.0.tools: unknown tool "issue_refund"; did you mean "issue_refunds"?');
  });

  it("reports tools without a rule, and suggests a similar name", async () => {
    const tools = ["--tools", "a,b"];
    const { code, out, err } = await run("policy", "check", "@types.yaml@", ...tools);
    expect([code, err]).toEqual([1, 'b: no rule matches; denied by default; did you mean "a"?\n']);
    expect(out).not.toContain("valid (");
    const json = await run("policy", "check", "@types.yaml@", ...tools, "--json");
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, unruled: [{ tool: "b", verdict: "deny" }] });
  });

  it("accepts tools without a rule, with a note, if the policy sets a default", async () => {
    const { code, out } = await run("policy", "check", "@default.yaml@", "--tools", "a,zebra");
    expect(code).toBe(0);
    expect(out).toContain("note: zebra: no rule matches; the policy's default is ask\n");
  });

  it("tells the default of the policy, not what it requires of a call without a preview", async () => {
    const { out } = await run("policy", "check", "@insists.yaml@", "--tools", "zebra");
    expect(out).toContain("note: zebra: no rule matches; the policy's default is ask\n");
    // Calls of other tools are denied, since nobody could approve them.
    const both = await run("policy", "check", "@insists.yaml@", "@leads.yaml@", "--tools", "zebra");
    expect(both.out).toContain("note: zebra: no rule matches; the policy's default is deny\n");
  });

  it("reports a glob that misses a tool by its spelling, whatever the default is", async () => {
    const { code, err } = await run("policy", "check", "@globs.yaml@", "--tools", "files-delete,other");
    expect([code, err]).toEqual([
      1,
      'files-delete: the rule for "files_*" covers no tool, and not this one because its spelling differs\n',
    ]);
    const json = await run("policy", "check", "@globs.yaml@", "--tools", "files-delete", "--json");
    expect(JSON.parse(json.out)).toMatchObject({
      ok: false,
      misspelled: [{ tool: "files-delete", glob: "files_*" }],
    });
    const fine = await run("policy", "check", "@globs.yaml@", "--tools", "files-delete,files_read");
    expect(fine.code).toBe(0);
  });

  it("matches the keys of tool approvals with the tools of the named MCP servers", async () => {
    const check = (...more: string[]) =>
      run("policy", "check", "@keys.json@", "--tools", "code-executor-run_python,notes__read", ...more);
    const known = await check("--mcp-server", "code,code-executor,notes");
    expect([known.code, known.err]).toEqual([0, ""]);
    expect(known.out).toMatch(/: valid \(/);
    const other = await run(
      "policy",
      "check",
      "@open.json@",
      "--tools",
      "notes-read",
      "--mcp-server",
      "notes",
    );
    expect(other.out).toContain("note: notes-read: no rule matches; the policy's default is allow\n");
    const unknown = await check("--mcp-server", "notes");
    expect(unknown.code).toBe(1);
    const hint =
      'if "code-executor-run_python" is a tool of the MCP server "code-executor", the key matches it: add --mcp-server code-executor';
    expect(unknown.err).toContain(`unknown tool "code-executor_run_python"; ${hint}\n`);
    expect(unknown.out).toContain(
      `note: code-executor-run_python: no rule matches; the policy's default is allow; ${hint}\n`,
    );
    expect(await run("policy", "check", "@keys.json@", "--mcp-server", "notes")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--mcp-server needs --tools"),
    });
  });

  it("reports an unknown tool in the rules of two files, and a tool without a rule, at once", async () => {
    const { code, out, err } = await run("policy", "check", "@default.yaml@", "@types.yaml@", "--tools", "b");
    expect(code).toBe(1);
    for (const place of ["default.yaml:4:", "types.yaml:3:", "types.yaml:4:"])
      expect(err).toMatch(new RegExp(`${place}.*unknown tool "a"`));
    expect(out).toContain('note: b: no rule matches; the policy\'s default is ask; did you mean "a"?\n');
    const alone = await run("policy", "check", "@types.yaml@", "--tools", "b");
    expect(alone.err.split("\n")).toEqual([
      expect.stringContaining("types.yaml:3:"),
      expect.stringContaining("types.yaml:4:"),
      expect.stringMatching(/^b: no rule matches; denied by default/),
      "",
    ]);
  });

  it("writes JSON with --json", async () => {
    const fine = await run("policy", "check", "@policy.yaml@", "--json");
    expect(JSON.parse(fine.out)).toMatchObject({
      ok: true,
      profiles: ["night"],
      defaultProfile: null,
      notes: [],
    });
    const bad = await run("policy", "check", "@bad.yaml@", "--json");
    expect([bad.code, bad.err]).toEqual([1, ""]);
    expect(JSON.parse(bad.out)).toMatchObject({
      ok: false,
      problems: [{ line: 3, field: "rules.0.verdict" }],
    });
  });

  it("reports a missing file", async () => {
    const { code, err } = await run("policy", "check", "@nowhere.yaml@");
    expect(code).toBe(1);
    expect(err).toMatch(/nowhere\.yaml:1:1: the file does not exist/);
  });
});

describe("policy explain", () => {
  it("reports that no rule matches the tool, and suggests a similar name", async () => {
    const { code, out } = await run("policy", "explain", "@types.yaml@", "--tool", "b");
    expect(code).toBe(0);
    expect(out).toContain('b: deny\nb: no rule matches; denied by default; did you mean "a"?\n');
  });

  it("prints the verdict and every matching rule", async () => {
    const { code, out } = await run(
      "policy",
      "explain",
      "@policy.yaml@",
      "--tool",
      "issue_refund",
      "--input",
      "@@input.json@",
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^issue_refund: ask\n/);
    expect(out).toContain("  approver roles: finance\n");
    expect(out).toContain("  timeout: 30 minutes\n");
    expect(out).toContain("  ask    defaults: big (input.amount > 100 is true)\n");
    expect(out).toContain("  allow  defaults: rules.1 (");
  });

  it("prints each term that differs from its default", async () => {
    const { out } = await run("policy", "explain", "@terms.yaml@", "--tool", "pay");
    expect(out.split("matching rules")[0]).toBe(
      [
        "pay: ask",
        "  summary: Pay {{amount}}",
        "  units: amount in EUR",
        "  risk: medium",
        "  approver roles: finance, lead",
        "  quorum: 2 people must approve",
        "  distinctRoles: each approval from a different role",
        "  denials: 2 people must deny",
        "  requesterMayNotApprove: somebody else must approve",
        "  decisions: approve, deny",
        "  timeout: 2 hours",
        "  escalation: reminder after 30 minutes; cfo may decide, too, after 1 hour",
        "  extensions: 0",
        "  delegable: approvers may delegate the decision",
        "  holdFor: decisions take effect at once",
        "  redacted patterns: email",
        "  idempotent: it may run again after a crash",
        "  decided in: inbox",
        "",
      ].join("\n"),
    );
    const { out: other } = await run("policy", "explain", "@terms.yaml@", "--tool", "move");
    expect(other).toContain("  decisions: approve, edit, deny\n  editable: amount\n");
    expect(other).toContain("  grantable: user\n");
    expect(other).not.toMatch(/quorum|requesterMayNotApprove|extensions|holdFor/);
  });

  it("lists the rules for the tool whose condition was false or could not be evaluated", async () => {
    const explain = (input: string) =>
      run("policy", "explain", "@skipped.yaml@", "--tool", "pay", "--input", input);
    const { out } = await explain('{"amount":3}');
    expect(out).toMatch(/^pay: deny\n {2}reason: No rule of the policy applies to this call\n/);
    expect(out.split("skipped rules for this tool:\n")[1]).toBe(
      [
        "  defaults: large (input.amount > 100 is false)",
        '  defaults: small (input.currency == "EUR" could not be evaluated (input.currency is missing))',
        "",
      ].join("\n"),
    );
    expect((await explain('{"amount":300,"currency":"EUR"}')).out).not.toContain("skipped");
    const unnamed = await run("policy", "explain", "@skipped.yaml@", "--tool", "refund");
    expect(unnamed.out).toContain("  reason: No rule of the policy covers this tool\n");
    expect(unnamed.out).not.toContain("skipped");
  });

  it("treats the second file as overrides", async () => {
    const { out } = await run(
      "policy",
      "explain",
      "@policy.yaml@",
      "@tool-approvals.json@",
      "--tool",
      "refund_status",
      "--json",
    );
    const { kind, matched } = JSON.parse(out);
    expect(kind).toBe("ask");
    expect(matched.map(({ layer }: { layer: string }) => layer)).toEqual(["defaults", "overrides"]);
  });

  it("applies the given profile", async () => {
    const { out } = await run(
      ...["policy", "explain", "@policy.yaml@", "--tool", "refund_status", "--profile", "night", "--json"],
    );
    expect(JSON.parse(out)).toMatchObject({ kind: "deny", terms: { reason: "Nobody is awake" } });
  });

  it.each([
    ["ask", ["--principal", '{"id":"ada","roles":["lead"]}', "--thread", "t1"]],
    ["allow", ["--principal", '{"id":"ada","roles":["lead"]}', "--thread", "t2"]],
    ["allow", ["--principal", '{"id":"eve","roles":["lead"]}', "--thread", "t1"]],
    ["allow", ["--principal", '{"id":"ada","roles":[]}', "--thread", "t1"]],
  ])("evaluates conditions with the given principal and thread: %s for %j", async (verdict, options) => {
    const { out } = await run("policy", "explain", "@who.yaml@", "--tool", "a", ...options, "--json");
    expect(JSON.parse(out)).toMatchObject({ kind: verdict });
  });
});

describe("policy explain for a call with a preview", () => {
  const explain = (tool: string, ...options: string[]) =>
    run("policy", "explain", "@effects.yaml@", "--tool", tool, ...options);

  it("evaluates conditions over the given effects", async () => {
    const one = await explain("purge", "--effects", '[{"target":"table a"}]');
    expect(one.out).toMatch(/^purge: allow\n/);
    const two = await explain("purge", "--effects", "@@effects.json@");
    expect(two.out).toMatch(/^purge: deny\n/);
    expect(two.out).toContain("  deny   defaults: rules.1 (effects.size() > 1 is true)\n");
  });

  it("says what a rule requires of a call without one", async () => {
    const { out } = await explain("purge", "--json");
    expect(JSON.parse(out)).toMatchObject({ kind: "deny", terms: { withoutPreview: "ask" } });
    const text = (await explain("purge")).out;
    expect(text).toContain("  without a preview: at least ask\n");
    expect(text).toContain("  ask    defaults: rules.0 (withoutPreview is ask, and the call has no preview)");
    expect(text).toContain("  deny   defaults: rules.1 (effects.size() > 1 could not be evaluated (the call");
  });

  it.each([
    ["allow", "true"],
    ["allow", "2 hours"],
    ["deny", "false"],
  ])("takes whether it can be taken back: %s for %s", async (verdict, reversible) => {
    const { out } = await explain("archive", "--effects", "[]", "--reversible", reversible, "--json");
    expect(JSON.parse(out).kind).toBe(verdict);
  });

  it.each([
    ["--reversible needs --effects", ["--reversible", "true"]],
    ["--reversible: must be true, false or a duration", ["--effects", "[]", "--reversible", "soon"]],
    ["--effects.0.target", ["--effects", '[{"count":1}]']],
  ])("refuses what is not a preview: %s", async (message, options) => {
    expect(await explain("archive", ...options)).toMatchObject({
      code: 2,
      err: expect.stringContaining(message),
    });
  });
});

describe("policy explain for a tool of an MCP server", () => {
  const explainTool = (...options: string[]) =>
    run("policy", "explain", "@mcp.yaml@", "--tool", "warehouse-echo", ...options);

  it("asks although a rule allows the tool, and says how to let it run", async () => {
    const { out } = await explainTool("--mcp-server", "warehouse");
    expect(out).toMatch(/^warehouse-echo: ask\n/);
    expect(out).toMatch(
      /does not mark this tool as harmless, and mcp\.trustedServers does not name the server/,
    );
  });

  it.each([
    ["allow", "warehouse", '{"readOnlyHint":true,"title":"Echo"}'],
    ["ask", "warehouse", '{"destructiveHint":true}'],
    ["allow", "trusted", "{}"],
    ["ask", "trusted", '{"destructiveHint":true}'],
  ])("gives %s for the server %s with the annotations %s", async (kind, server, annotations) => {
    const { out } = await explainTool("--mcp-server", server, "--annotations", annotations, "--json");
    expect(JSON.parse(out)).toMatchObject({ kind, ifMcpTool: null });
  });

  it("says what such a tool would get if no server is given", async () => {
    const { out } = await explainTool();
    expect(out).toMatch(/^warehouse-echo: allow\n {2}if this is an MCP server's tool: ask, unless /);
    expect(JSON.parse((await explainTool("--json")).out)).toMatchObject({ kind: "allow", ifMcpTool: "ask" });
  });

  it("matches the keys of tool approvals if the server is given, and says so if it is not", async () => {
    const explainKey = (...options: string[]) =>
      run("policy", "explain", "@keys.json@", "--tool", "code-executor-run_python", ...options);
    const { out } = await explainKey(
      "--mcp-server",
      "code-executor",
      "--annotations",
      '{"readOnlyHint":true}',
    );
    expect(out).toMatch(/^code-executor-run_python: ask\n/);
    expect(out).toContain("defaults: tools.code-executor_run_python (the tool name matches)");
    expect((await explainKey()).out).toMatch(
      /^code-executor-run_python: allow\n.*the key matches it: add --mcp-server code-executor\n/,
    );
  });

  it("refuses annotations of no server", async () => {
    expect(await explainTool("--annotations", "{}")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--annotations needs --mcp-server"),
    });
  });
});

describe("policy test", () => {
  it("passes when every case gets its verdict", async () => {
    const { code, out } = await run("policy", "test", "@policy.yaml@", "--cases", "@cases.yaml@");
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {6}small\n/);
    expect(out).toMatch(/3 of 3 cases passed\n$/);
  });

  it("passes for tools of MCP servers", async () => {
    const { code } = await run("policy", "test", "@keys.json@", "--cases", "@key-cases.json@");
    expect(code).toBe(0);
  });

  it("passes for calls with a preview", async () => {
    const { code, out } = await run("policy", "test", "@effects.yaml@", "--cases", "@effect-cases.json@");
    expect([code, out]).toEqual([0, expect.stringMatching(/3 of 3 cases passed\n$/)]);
  });

  it("fails with the verdict that it got, and why", async () => {
    const { code, out } = await run("policy", "test", "@policy.yaml@", "--cases", "@failing.json@");
    expect(code).toBe(1);
    expect(out).toMatch(
      /^FAILED {2}wire_money \{\}: expected ask, got deny \(built-in: default says deny\)\n/,
    );
    const json = await run("policy", "test", "@policy.yaml@", "--cases", "@failing.json@", "--json");
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, results: [{ expected: "ask", actual: "deny" }] });
  });

  it("refuses invalid cases and an empty list of cases", async () => {
    const wrong = await run("policy", "test", "@policy.yaml@", "--cases", "@wrong.yaml@");
    expect(wrong.code).toBe(1);
    expect(wrong.err).toMatch(/wrong\.yaml:2:11 0\.expect: must be one of .*; did you mean "allow"\?\n$/);
    const none = await run("policy", "test", "@policy.yaml@", "--cases", "@none.yaml@");
    expect([none.code, none.err]).toEqual([1, expect.stringContaining("the file has no cases")]);
  });
});

describe("policy diff", () => {
  const diff = ["policy", "diff", "--live", "@policy.yaml@", "--candidate", "@candidate.yaml@"];

  it("replays calls of the tools of MCP servers", async () => {
    const files = ["--live", "@open.json@", "--candidate", "@keys.json@"];
    const { out } = await run("policy", "diff", ...files, "--calls", "@key-calls.jsonl@");
    expect(out).toMatch(/^stricter code-executor__run_python: allow → ask /);
  });

  it("lists the calls for which the candidate's verdict or terms would differ", async () => {
    const { code, out } = await run(...diff, "--calls", "@calls.jsonl@");
    expect(code).toBe(0);
    expect(out.replaceAll(at("calls.jsonl"), "calls")).toBe(
      [
        "stricter issue_refund: allow → ask (calls:2, calls:3)",
        "terms    issue_refund: ask, with other approvers, timeoutMs (calls:4)",
        "looser   lookup: deny → allow (calls:5)",
        "4 of 5 calls would change\n",
      ].join("\n"),
    );
  });

  it("replays calls with the effects that they had", async () => {
    const files = ["--live", "@purge.yaml@", "--candidate", "@effects.yaml@"];
    const { out } = await run("policy", "diff", ...files, "--calls", "@effect-calls.jsonl@");
    expect(out).toMatch(/^stricter purge: allow → deny \(.*:2, .*:3\)\n2 of 3 calls would change\n$/);
  });

  it("exits with 1 for changes, and with 0 for none, with --exit-code", async () => {
    expect((await run(...diff, "--calls", "@calls.jsonl@", "--exit-code")).code).toBe(1);
    const same = ["policy", "diff", "--live", "@policy.yaml@", "--candidate", "@policy.yaml@"];
    expect(await run(...same, "--calls", "@calls.jsonl@", "--exit-code")).toMatchObject({
      code: 0,
      out: "0 of 5 calls would change\n",
    });
  });

  it("writes JSON with --json", async () => {
    const { out } = await run(...diff, "--calls", "@calls.jsonl@", "--json");
    const { replayed, differences, liveVersion } = JSON.parse(out);
    expect([replayed, differences.length, liveVersion]).toEqual([
      5,
      4,
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
    expect(differences[0]).toMatchObject({ change: "stricter", from: "allow", to: "ask" });
  });

  it("refuses an invalid candidate", async () => {
    const live = ["policy", "diff", "--live", "@policy.yaml@", "--candidate", "@bad.yaml@"];
    expect(await run(...live, "--calls", "@calls.jsonl@")).toMatchObject({
      code: 1,
      err: expect.stringContaining("rules.0.verdict"),
    });
  });

  it("reports the invalid line of a file of calls", async () => {
    const { code, err } = await run(...diff, "--calls", "@broken.jsonl@");
    expect([code, err]).toEqual([2, expect.stringContaining("broken.jsonl:2: is not a list of calls")]);
    expect((await run(...diff, "--calls", "@nowhere.jsonl@")).code).toBe(2);
  });

  it("reports an unreachable database without the password of its URL", async () => {
    const { code, err } = await run(...diff, "--database-url", "postgres://ada:secret@127.0.0.1:1/x");
    expect([code, err]).toEqual([2, expect.stringContaining("ECONNREFUSED")]);
    expect(err).not.toContain("secret");
  });
});

describe("the built command", () => {
  const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
  const command = (...argv: string[]) => spawnSync(process.execPath, [main, ...argv], { encoding: "utf8" });

  it("writes to its streams and exits with the command's code", () => {
    expect(command("policy", "check", at("policy.yaml"))).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("valid ("),
      stderr: "",
    });
    const bad = command("policy", "check", at("bad.yaml"));
    expect(bad).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("did you mean") });
    expect(command("policy", "chekc").status).toBe(2);
  });
});

describe("an incomplete or invalid command line", () => {
  it.each([
    ["no command", []],
    ["an unknown command", ["policy", "chekc", "a.yaml"]],
    ["no files", ["policy", "check"]],
    ["three files", ["policy", "check", "a", "b", "c"]],
    ["an unknown option", ["policy", "check", "@policy.yaml@", "--jsn"]],
    ["no tool", ["policy", "explain", "@policy.yaml@"]],
    ["input that is not JSON", ["policy", "explain", "@policy.yaml@", "--tool", "a", "--input", "{"]],
    ["a missing input file", ["policy", "explain", "@policy.yaml@", "--tool", "a", "--input", "@nowhere"]],
    ["a principal without id", ["policy", "explain", "@policy.yaml@", "--tool", "a", "--principal", "{}"]],
    ["no calls", ["policy", "diff", "--live", "@policy.yaml@", "--candidate", "@policy.yaml@"]],
    [
      "calls twice",
      ["policy", "diff", "--live", "a", "--candidate", "b", "--calls", "c", "--database-url", "postgres://x"],
    ],
  ])("exits with 2 and an error message for %s", async (_what, argv) => {
    const { code, err } = await run(...argv);
    expect(code).toBe(2);
    expect(err).not.toBe("");
  });

  it("exits with 0 and prints the usage with --help", async () => {
    const { code, out } = await run("policy", "--help");
    expect(code).toBe(0);
    expect(out).toMatch(/check .*\n[\s\S]*explain [\s\S]*test [\s\S]*diff /);
  });
});
