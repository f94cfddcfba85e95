/** The examples of the proposal "HITL tool verification — preliminary plan". */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type EvalProfileConfig,
  type EvaluationConfig,
  getDisposition,
  ToolDisposition,
} from "@countersign/policy";
import { openPolicy } from "@countersign/policy/files";
import { createTestHarness, type HarnessParts } from "@countersign/testing";
import { createTool } from "@inngest/agent-kit";
import { ToolCallDeniedError } from "countersign";
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

it("applyProfile at the proposal's integration point asks with the script's calls, and denies what is not in it", async () => {
  type Fns = Record<string, (input: Record<string, unknown>) => Promise<unknown>>;
  const called: string[] = [];
  const names = ["time__now", "filesystem__write_file", "filesystem__delete_tree"];
  const fns: Fns = Object.fromEntries(names.map((name) => [name, async () => called.push(name)]));
  // What static analysis misses has its verdict from the policy.
  const code = `await codemode.time__now({});
    await codemode.filesystem__write_file({ path: "a.txt", text: "hello" });
    return codemode["filesystem__delete_" + "tree"]({});`;
  const evalFunction = ({ inngest, countersign }: HarnessParts) =>
    inngest.createFunction({ id: "eval", triggers: [{ event: "bridge/eval" }] }, async () => {
      // In the proposal, the handler calls `extractToolCalls` for the prompt.
      const script = { code, object: "codemode" };
      const wrappedFns = countersign.applyProfile(fns, { profile: "supervised", script });
      try {
        // Stands for the bridge's sandbox: runs the script with `codemode` as its only tool.
        return await Object.getPrototypeOf(async () => {}).constructor("codemode", code)(wrappedFns);
      } catch (error) {
        if (!ToolCallDeniedError.isInstance(error)) throw error;
        return { toolName: error.toolName, reason: error.reason };
      }
    });
  await using desk = await createTestHarness({
    ...{ patience: "60s", policy, functions: (parts) => [evalFunction(parts)] },
    reply: () => ({ text: "unused" }),
  });
  const run = await desk.send({ name: "bridge/eval" });
  const [call] = await run.pending();
  expect(call.toolName).toBe("filesystem__write_file");
  expect(JSON.parse(call.inputJson)).toEqual({ path: "a.txt", text: "hello" });
  expect(call.terms.codePreview).toMatchObject([
    { toolName: "time__now", line: 1 },
    { toolName: "filesystem__write_file", line: 2 },
  ]);
  expect(called).not.toContain("filesystem__write_file");
  await desk.decide(call, { type: "approve" });
  // In the proposal, the reason is "denied".
  expect(await run.ended()).toEqual({ toolName: "filesystem__delete_tree", reason: "denied_by_policy" });
  expect(called.filter((name) => name !== "time__now")).toEqual(["filesystem__write_file"]);
});
