import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { allow } from "../rules/verdict.js";
import { type LivePolicy, type OpenPolicyOptions, openPolicy } from "./live-policy.js";
import type { PolicyProblem } from "./policy-problem.js";

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanUp.splice(0)) clean();
});

/** A temporary folder for policy files. Policies that it opens are closed after the test. */
function folder() {
  const path = mkdtempSync(join(tmpdir(), "countersign-policy-"));
  cleanUp.push(() => rmSync(path, { recursive: true, force: true }));
  const problems: { status: string; problems: readonly PolicyProblem[] }[] = [];
  return {
    file: (name: string) => join(path, name),
    write: (name: string, text: string) => writeFileSync(join(path, name), text),
    remove: (name: string) => rmSync(join(path, name)),
    problems,
    open: (options: OpenPolicyOptions): LivePolicy => {
      const policy = openPolicy({
        onProblem: (found, status) => problems.push({ status, problems: found }),
        ...options,
      });
      cleanUp.push(() => policy.close());
      return policy;
    },
  };
}

const policyText = (verdict: string) => `version: 1\nrules:\n  - { tools: refund, verdict: ${verdict} }\n`;
const kind = (policy: LivePolicy) => policy.evaluate({ toolName: "refund", input: {} }).kind;
/** A change takes up to two seconds, and longer on a busy machine. */
const soon = { timeout: 30_000, interval: 20 };

describe("a policy that follows its files", () => {
  it("loads its files at once, and again when they change", async () => {
    const { file, write, open } = folder();
    write("p.yaml", policyText("allow"));
    const reloads: unknown[] = [];
    const policy = open({ defaults: file("p.yaml"), onReload: (reload) => reloads.push(reload) });
    const first = policy.version;
    expect([kind(policy), policy.status, policy.problems]).toEqual(["allow", "good", []]);

    write("p.yaml", policyText("ask"));
    await vi.waitUntil(() => kind(policy) === "ask", soon);
    expect(policy.version).not.toBe(first);
    expect(reloads).toEqual([{ version: policy.version, previousVersion: first }]);
    expect(policy.explain({ toolName: "refund", input: {} }).policyVersion).toBe(policy.version);
  });

  it("keeps the last good policy when a change is invalid, reports the problem, and recovers", async () => {
    const { file, write, remove, open, problems } = folder();
    write("p.yaml", policyText("ask"));
    const policy = open({ defaults: file("p.yaml") });
    const good = policy.version;

    write("p.yaml", policyText("alow"));
    await vi.waitUntil(() => policy.status === "stale", soon);
    expect([kind(policy), policy.version]).toEqual(["ask", good]);
    expect(policy.files?.()).toEqual([{ file: file("p.yaml"), layer: "defaults", text: policyText("ask") }]);
    expect(policy.problems).toMatchObject([
      { file: file("p.yaml"), line: 3, field: "rules.0.verdict", suggestion: 'did you mean "allow"?' },
    ]);
    expect(problems).toEqual([{ status: "stale", problems: policy.problems }]);

    remove("p.yaml");
    await vi.waitUntil(() => policy.problems[0]?.message === "the file does not exist", soon);
    expect(kind(policy)).toBe("ask");

    write("p.yaml", policyText("deny"));
    await vi.waitUntil(() => policy.status === "good", soon);
    expect([kind(policy), policy.problems]).toEqual(["deny", []]);
  });

  it.each([
    ["missing", undefined],
    ["invalid", "version: 1\nrules: 3"],
    ["empty", ""],
  ])("denies every call while its first file is %s, and names the file", async (_what, text) => {
    const { file, write, open, problems } = folder();
    if (text !== undefined) write("p.yaml", text);
    const policy = open({ defaults: file("p.yaml"), code: { tools: { refund: allow() } } });
    const refused = policy.evaluate({ toolName: "refund", input: {} });
    expect(refused.kind).toBe("deny");
    expect(refused.terms.reason).toContain(file("p.yaml"));
    expect(policy.explain({ toolName: "refund", input: {}, profile: "none" })).toMatchObject({
      kind: "deny",
      policyVersion: policy.version,
      matched: [{ id: "policy-file" }],
    });
    expect([policy.status, policy.profiles, problems.length]).toEqual(["refusing", [], 1]);

    write("p.yaml", policyText("ask"));
    await vi.waitUntil(() => kind(policy) === "ask", soon);
    expect(policy.status).toBe("good");
  });

  it.each([
    ["missing", undefined],
    ["invalid", "version: 1\nrules: 3"],
  ])("denies calls if only the overrides file is %s", (_what, text) => {
    const { file, write, open } = folder();
    write("p.yaml", policyText("allow"));
    if (text !== undefined) write("q.json", text);
    const policy = open({ defaults: file("p.yaml"), overrides: file("q.json"), watch: false });
    expect(kind(policy)).toBe("deny");
    expect(policy.problems).toMatchObject([{ file: file("q.json") }]);
  });

  it("joins files of different formats with rules in code, and the strictest rule wins", () => {
    const { file, write, open } = folder();
    write("p.yaml", policyText("allow"));
    write("tool-approvals.json", '{"tools": {"refund": {"require_approval": true}}}');
    const policy = open({
      defaults: file("p.yaml"),
      overrides: file("tool-approvals.json"),
      code: { tools: { refund: allow(), lookup: allow() } },
      watch: false,
    });
    expect(policy.evaluate({ toolName: "lookup", input: {} }).kind).toBe("allow");
    expect(kind(policy)).toBe("ask");
    const { matched } = policy.explain({ toolName: "refund", input: {} });
    expect(matched.map(({ layer, verdict }) => [layer, verdict])).toEqual([
      ["defaults", "allow"],
      ["overrides", "ask"],
      ["code", "allow"],
    ]);
    expect(policy.notes).toMatchObject([{ file: file("tool-approvals.json") }]);
  });

  it("waits before it loads a file that became shorter, which may still be being written", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    cleanUp.push(() => vi.useRealTimers());
    const { file, write, open } = folder();
    const whole = `version: 1\ndefault: allow\nrules:\n  - { tools: other, verdict: ask }\n`;
    const denying = (reason: string) => `${whole}  - { tools: refund, verdict: deny, reason: ${reason} }\n`;
    write("p.yaml", denying("first"));
    const reloads: unknown[] = [];
    const policy = open({ defaults: file("p.yaml"), onReload: (reload) => reloads.push(reload) });

    write("p.yaml", whole);
    vi.advanceTimersByTime(1_400);
    expect([kind(policy), reloads.length]).toEqual(["deny", 0]);
    write("p.yaml", denying("second"));
    vi.advanceTimersByTime(1_000);
    expect([kind(policy), reloads.length]).toEqual(["deny", 1]);
    expect(policy.evaluate({ toolName: "refund", input: {} }).terms.reason).toBe("second");

    // If the short file is not written again, it takes effect.
    const other = open({ defaults: file("p.yaml") });
    write("p.yaml", whole);
    vi.advanceTimersByTime(500 + 1_000);
    expect(kind(other)).toBe("allow");
  });

  it("denies calls if a file is not UTF-8, and reports the place", () => {
    const { file, open } = folder();
    const text = "version: 1\ndefault: allow\nrules:\n  - { tools: lösche, verdict: deny }\n";
    writeFileSync(file("p.yaml"), Buffer.from(text, "latin1"));
    const policy = open({ defaults: file("p.yaml"), watch: false });
    expect(kind(policy)).toBe("deny");
    expect(policy.problems).toMatchObject([
      { line: 4, column: 15, message: "the file is not UTF-8", suggestion: "save it as UTF-8" },
    ]);
  });

  it("keeps the policy in force when a changed file cannot be compiled", async () => {
    const { file, write, open } = folder();
    write("p.yaml", policyText("ask"));
    const policy = open({ defaults: file("p.yaml") });
    const profiles = Array.from(
      { length: 20_000 },
      (_, index) => `  p${index}: { extends: p${index + 1} }\n`,
    );
    write("p.yaml", `${policyText("deny")}profiles:\n${profiles.join("")}  p20000: { extends: p0 }\n`);
    await vi.waitUntil(() => policy.status === "stale", soon);
    expect(kind(policy)).toBe("ask");
    expect(policy.problems).toMatchObject([{ message: expect.stringContaining("in a cycle: p0 → p1") }]);
  });

  it("reports a misspelt tool name if it knows the tools", () => {
    const { file, write, open } = folder();
    write("p.yaml", policyText("ask"));
    const policy = open({ defaults: file("p.yaml"), agentTools: [{ name: "refunds" }], watch: false });
    expect(policy.problems).toMatchObject([{ suggestion: 'did you mean "refunds"?' }]);
  });

  it("takes its profiles and default profile from the files in force", async () => {
    const { file, write, open } = folder();
    write("b.json", '{"evaluation": {"profiles": {"safe": {"denylist": ["refund"]}}}}');
    const policy = open({ defaults: file("b.json") });
    expect([policy.profiles, policy.defaultProfile]).toEqual([["safe"], undefined]);
    write("b.json", '{"evaluation": {"defaultProfile": "free", "profiles": {"free": {}}}}');
    await vi.waitUntil(() => policy.defaultProfile === "free", soon);
    expect([policy.profiles, kind(policy)]).toEqual([["free"], "allow"]);
  });

  it("warns on the console without onProblem, and survives an onReload that throws", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    cleanUp.push(() => warn.mockRestore());
    const { file, write } = folder();
    write("p.yaml", policyText("alow"));
    const policy = openPolicy({
      defaults: file("p.yaml"),
      onReload: () => {
        throw new Error("listener");
      },
    });
    cleanUp.push(() => policy.close());
    expect(warn.mock.calls[0]?.[0]).toMatch(
      /every call is denied.*\n.*p\.yaml:3:\d+ rules\.0\.verdict: must be/,
    );
    write("p.yaml", policyText("ask"));
    await vi.waitUntil(() => warn.mock.calls.length === 2, soon);
    write("p.yaml", policyText("deny"));
    await vi.waitUntil(() => kind(policy) === "deny", soon);
  });

  it("stops following its files when it is closed", async () => {
    const { file, write, open } = folder();
    write("p.yaml", policyText("ask"));
    const closed = open({ defaults: file("p.yaml") });
    const other = open({ defaults: file("p.yaml") });
    closed.close();
    write("p.yaml", policyText("deny"));
    await vi.waitUntil(() => kind(other) === "deny", soon);
    expect(kind(closed)).toBe("ask");
  });

  it("throws for invalid options and for invalid rules in code", () => {
    expect(() => openPolicy({})).toThrow(expect.objectContaining({ code: "invalid_option" }));
    const code = { tools: {}, default: { ...allow(), timeout: "soon" } };
    expect(() => openPolicy({ code })).toThrow(expect.objectContaining({ code: "invalid_policy" }));
  });
});
