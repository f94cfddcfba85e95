import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../run-cli.js";

const dayMs = 86_400_000;
let folder = "";
let before = "";
beforeEach(() => {
  before = process.cwd();
  folder = mkdtempSync(join(tmpdir(), "countersign-suggest-"));
  process.chdir(folder);
  write("policy.yaml", policy);
});
afterEach(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

const policy = "version: 1\nrules:\n  - tools: refund # money\n    verdict: ask\n";
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

/** Lines about calls that were decided some days ago. */
const lines = (count: number, days: number, decision: string, more: object = {}) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      id: `apr_${days}_${decision}_${index}`,
      tool: "refund",
      input: { amount: 10 + index },
      decision,
      decidedAt: new Date(Date.now() - days * dayMs).toISOString(),
      ...more,
    }),
  );

async function suggest(calls: string[], ...options: string[]) {
  write("calls.jsonl", calls.join("\n"));
  return run("policy.yaml", "--calls", "calls.jsonl", ...options);
}

async function run(...argv: string[]) {
  let [out, err] = ["", ""];
  const io = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
  const code = await runCli(["policy", "suggest", ...argv], io);
  return { code, out, err };
}

describe("policy suggest", () => {
  it("prints what each suggestion comes from, what it would have changed, and a diff", async () => {
    const { code, out } = await suggest([
      ...lines(20, 40, "approve"),
      ...lines(3, 5, "approve"),
      ...lines(1, 40, "deny", { tool: "other" }),
    ]);
    const when = "input.amount >= 10 && input.amount <= 29 && size(input) == 1";
    const since = new Date(Date.now() - 30 * dayMs).toISOString().slice(0, 10);
    expect([code, out]).toEqual([
      0,
      `Learned from 21 calls decided before ${since}; tested on 3 calls of the last 30 days.

refund: people approved all 20 calls like this:
  notify when ${when}
  In the 30 days that it did not learn from, 3 calls would not have been asked about: 3 approved.

Not suggested:
  other (0 approved, 1 denied, 0 decided otherwise)
    no stricter rule: 1 of its calls was denied, and at least 5 are needed

--- policy.yaml
+++ policy.yaml
@@ -2,3 +2,9 @@
 rules:
   - tools: refund # money
     verdict: ask
+    when: '!(${when})'
+  # countersign policy suggest: people approved 20 calls like this
+  - id: approved-refund
+    tools: refund
+    verdict: notify
+    when: ${when}
`,
    ]);
    expect(readFileSync("policy.yaml", "utf8")).toBe(policy);
  });

  it("names the calls that contradict a suggestion, and leaves it out of the diff", async () => {
    const history = [...lines(20, 40, "approve"), ...lines(2, 5, "approve"), ...lines(1, 4, "deny")];
    const { out } = await suggest(history);
    expect(out).toContain(
      "people approved all 20 calls like this, but not later. CONTRADICTED, not in the diff:",
    );
    expect(out).toContain("3 calls would not have been asked about: 2 approved, 1 denied (apr_4_deny_0).");
    expect(out).toContain("Nothing to change.");
    expect(out).not.toContain("+++");
  });

  it("says that nothing has tested a suggestion if there was no such call later", async () => {
    const { out } = await suggest(lines(20, 40, "approve"));
    expect(out).toContain("there was no such call: nothing has tested it.");
  });

  it("writes JSON with the ids of the calls that each suggestion comes from", async () => {
    const { out } = await suggest(lines(20, 40, "approve"), "--json");
    const found = JSON.parse(out);
    expect(found).toMatchObject({
      learned: 20,
      heldOut: 0,
      suggestions: [{ verdict: "notify", toolName: "refund" }],
    });
    expect(found.suggestions[0].calls).toContain("apr_40_approve_7");
    expect(found.diff).toContain("+++ policy.yaml");
  });

  it.for([
    ["patch -p0", ["patch", "-p0", "-i", "new.diff"]],
    ["git apply -p0", ["git", "apply", "-p0", "new.diff"]],
  ] as const)("writes a diff to a new file that %s applies", async ([, [program, ...argv]], { skip }) => {
    skip(spawnSync(program, ["--version"]).status !== 0, "not every system has this program");
    const history = lines(20, 40, "approve");
    const { out } = await suggest(history, "--out", "new.diff");
    expect(out).toContain("The diff is in new.diff. Read it, then apply it with: patch -p0 < new.diff");
    expect(spawnSync(program, argv).status).toBe(0);
    expect(readFileSync("policy.yaml", "utf8")).toContain("verdict: notify");
    expect((await suggest(history, "--out", "new.diff")).out).toContain("Nothing to change.");
  });

  it("changes the file that asks, of the defaults and the overrides", async () => {
    write("strict.yaml", policy.replace("# money", "# override"));
    write("policy.yaml", "version: 1\nrules: [{ tools: refund, verdict: allow }]\n");
    write("calls.jsonl", lines(20, 40, "approve").join("\n"));
    const { out } = await run("policy.yaml", "strict.yaml", "--calls", "calls.jsonl");
    expect(out).toContain("+++ strict.yaml");
    expect(out).not.toContain("+++ policy.yaml");
  });

  it("does not edit files in the formats of other programs", async () => {
    write("policy.yaml", '{ "require_approval_by_default": true }');
    const { out } = await suggest(lines(20, 40, "approve"));
    expect(out).toContain("policy.yaml is written in a way or a format in which it cannot be changed");
  });

  it("keeps the terms of a profile in another program's format", async () => {
    const profiles = { night: { asklist: ["refund"] } };
    write("bridge.json", JSON.stringify({ evaluation: { profiles } }));
    write("calls.jsonl", lines(20, 40, "approve").join("\n"));
    const { out } = await run("policy.yaml", "bridge.json", "--calls", "calls.jsonl");
    expect(out).toContain("another rule, such as one of a profile, asks about all of its calls");
  });

  it.each([
    [["--at-least", "2"], "--at-least: must be a whole number of at least 3"],
    [["--at-least-denied", "many"], "--at-least-denied: must be a whole number of at least 3"],
    [["--hold-out", "0d"], '--hold-out: must be a duration, such as "30d"'],
    [["--hold-out", "soon"], '--hold-out: must be a duration, such as "30d"'],
    [["--since", "spring"], '--since: must be a date or a time, such as "2026-01-31"'],
    [["--since", "2999-01-01"], "--since: must be before "],
    [["--tenant", "acme"], "--tenant: applies to a database"],
    [["--database-url", "postgres://x"], "either --calls FILE or --database-url URL"],
    [["--out", "policy.yaml"], "--out: policy.yaml: it exists; remove it or choose another name"],
    [["--out", "no/such/folder"], "--out: no/such/folder: cannot be written (ENOENT)"],
  ])("refuses %j and says what is possible", async (options, message) => {
    const { code, err } = await suggest(lines(20, 40, "approve"), ...options);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(readFileSync("policy.yaml", "utf8")).toBe(policy);
  });

  it("refuses a line that is not about a decided call, by its number", async () => {
    const { code, err } = await suggest([...lines(1, 40, "approve"), '{ "tool": "refund", "input": {} }']);
    expect([code, err]).toEqual([2, expect.stringMatching(/calls\.jsonl:2: .*decision.*decidedAt/)]);
  });

  it("reports the problems of a policy file", async () => {
    write("policy.yaml", "version: 1\nrules: [{ tools: x }]\n");
    expect(await suggest([])).toMatchObject({ code: 1, err: expect.stringContaining("policy.yaml:2:9") });
    expect(existsSync("new.diff")).toBe(false);
  });
});
