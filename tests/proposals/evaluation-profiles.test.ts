/** The examples of the proposal "HITL tool verification — preliminary plan". */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createTool } from "@inngest/agent-kit";
import { ToolCallDeniedError } from "countersign";
import {
  type EvalProfileConfig,
  type EvaluationConfig,
  extractToolCalls,
  getDisposition,
  openPolicy,
  ToolDisposition,
} from "countersign/policy";
import { createTestHarness, type HarnessParts } from "countersign/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

// The proposal has an ellipsis for the servers.
const file = fileURLToPath(new URL("fixtures/evaluation-profiles.json", import.meta.url));
const { evaluation } = JSON.parse(readFileSync(file, "utf8")) as { evaluation: EvaluationConfig };
const profileOf = (name: string): EvalProfileConfig => {
  const profile = evaluation.profiles?.[name];
  if (!profile) throw new Error(`no profile ${name}`);
  return profile;
};
const policy = openPolicy({ defaults: file, watch: false });

describe("the profiles of the proposal's configuration", () => {
  it("are read unchanged", () => {
    expect(policy.status).toBe("good");
    expect(policy.profiles).toEqual(["safe", "supervised"]);
  });

  it.each([
    ["safe", "time__now", ToolDisposition.Allow],
    ["safe", "search_tools", ToolDisposition.Allow],
    ["safe", "filesystem__read_file", ToolDisposition.Deny],
    // Precedence: denylist > asklist > allowlist > default allow
    ["supervised", "filesystem__delete_file", ToolDisposition.Deny],
    ["supervised", "filesystem__read_file", ToolDisposition.Ask],
    ["supervised", "swf_gitlab__create_mr", ToolDisposition.Ask],
    ["supervised", "time__now", ToolDisposition.Allow],
  ] as const)("%s gives %s the disposition %s, and so does the policy", (profile, toolName, disposition) => {
    expect(getDisposition(profileOf(profile), toolName)).toBe(disposition);
    expect(policy.evaluate({ toolName, input: {}, profile }).kind).toBe(disposition);
  });
});

// `extractToolCalls` gets the name of the object, which in the proposal is always `codemode`.
it.each([
  ['codemode.delete_file({ path: "..." })', ["delete_file"]],
  ['codemode["delete_file"]({ path: "..." })', ["delete_file"]],
  ["const fn = codemode.delete_file; fn({})", []],
  ["codemode[varName]({})", []],
])("static analysis of %s finds %j", (code, expected) => {
  expect(extractToolCalls(code, "codemode").map(({ toolName }) => toolName)).toEqual(expected);
});

it("an asklist tool with a script shows its approver which tools the script appears to call", async () => {
  const run = createTool({
    name: "filesystem__run_script",
    parameters: z.object({ code: z.string() }),
    handler: () => "ran",
  });
  const code =
    "const old = await codemode.filesystem__read_file({});\nawait codemode.filesystem__write_file({});";
  await using database = await freshPostgres();
  await using harness = await openHarness({
    ...{ database, policy, profile: "supervised", tools: [run] },
    reply: inTurns({ toolCalls: [{ name: "filesystem__run_script", input: { code } }] }),
  });
  const { runId } = await harness.say("Run it");
  const call = await harness.onlyPending();
  expect(call.codePreview).toEqual([
    { toolName: "filesystem__read_file", line: 1, column: 19 },
    { toolName: "filesystem__write_file", line: 2, column: 7 },
  ]);
  await harness.decide(call, "deny");
  await harness.ended(runId);
});

describe("applyProfile at the proposal's integration point", () => {
  type Fns = Record<string, (input: Record<string, unknown>) => Promise<unknown>>;

  /** Stands for the bridge's sandbox: runs the script with `codemode` as its only tool. */
  const execute = (code: string, codemode: Fns): Promise<unknown> =>
    Object.getPrototypeOf(async () => {}).constructor("codemode", code)(codemode);

  /** An eval handler, bound to a profile. The people of the inbox are in place of an elicitation provider. */
  async function openEval(profile: string, normalizedCode: string) {
    const called: string[] = [];
    const fns: Fns = Object.fromEntries(
      ["time__now", "filesystem__write_file", "filesystem__delete_tree"].map((name) => [
        name,
        async () => {
          called.push(name);
          return name;
        },
      ]),
    );
    const evalFunction = ({ inngest, countersign }: HarnessParts) =>
      inngest.createFunction({ id: "eval", triggers: [{ event: "bridge/eval" }] }, async () => {
        const wrappedFns = countersign.applyProfile(fns, {
          profile,
          // In the proposal, the handler calls `extractToolCalls` for the prompt.
          script: { code: normalizedCode, object: "codemode" },
        });
        try {
          return await execute(normalizedCode, wrappedFns);
        } catch (error) {
          if (!ToolCallDeniedError.isInstance(error)) throw error;
          return { toolName: error.toolName, reason: error.reason };
        }
      });
    const desk = await createTestHarness({
      ...{ patience: "60s", policy, functions: (parts) => [evalFunction(parts)] },
      reply: () => ({ text: "unused" }),
    });
    return { desk, called, run: await desk.send({ name: "bridge/eval" }) };
  }

  const writing =
    'await codemode.time__now({});\nreturn codemode.filesystem__write_file({ path: "a.txt", text: "hello" });';
  const ran = (called: string[], name: string) => called.filter((one) => one === name).length;

  it("asks with the arguments and a preview of the script's calls, and proceeds on approval", async () => {
    const { desk, called, run } = await openEval("supervised", writing);
    await using _ = desk;
    const [call] = await run.pending();
    expect(call.toolName).toBe("filesystem__write_file");
    expect(JSON.parse(call.inputJson)).toEqual({ path: "a.txt", text: "hello" });
    expect(call.terms.codePreview).toEqual([
      { toolName: "time__now", line: 1, column: 7 },
      { toolName: "filesystem__write_file", line: 2, column: 8 },
    ]);
    expect(ran(called, "filesystem__write_file")).toBe(0);
    await desk.decide(call, { type: "approve" });
    expect(await run.ended()).toBe("filesystem__write_file");
    expect(ran(called, "filesystem__write_file")).toBe(1);
  });

  it("throws ToolCallDeniedError if the person declines", async () => {
    const { desk, called, run } = await openEval("supervised", writing);
    await using _ = desk;
    const [call] = await run.pending();
    await desk.decide(call, { type: "deny" });
    // In the proposal, the reason is "elicitation_declined".
    expect(await run.ended()).toEqual({ toolName: "filesystem__write_file", reason: "denied_by_person" });
    expect(ran(called, "filesystem__write_file")).toBe(0);
  });

  it.each([
    ["supervised", 'return codemode["filesystem__delete_" + "tree"]({});', "filesystem__delete_tree"],
    ["safe", "const write = codemode.filesystem__write_file; return write({});", "filesystem__write_file"],
  ])("denies in %s what static analysis misses: %s", async (profile, code, toolName) => {
    expect(extractToolCalls(code, "codemode")).toEqual([]);
    const { desk, called, run } = await openEval(profile, code);
    await using _ = desk;
    // In the proposal, the reason is "denied".
    expect(await run.ended()).toEqual({ toolName, reason: "denied_by_policy" });
    expect(called).toEqual([]);
  });

  it("passes through what the profile allows", async () => {
    const { desk, run } = await openEval("safe", "return codemode.time__now({});");
    await using _ = desk;
    expect(await run.ended()).toBe("time__now");
  });
});
