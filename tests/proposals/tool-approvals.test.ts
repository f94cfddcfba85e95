import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mcpTools } from "@countersign/mcp/client";
import { openPolicy } from "@countersign/policy/files";
import type { ApprovalView } from "countersign/hono";
import { expect, it } from "vitest";
import { callsFromMessage, callsOf } from "../support/calls-from-message.js";
import { freshPostgres } from "../support/databases.js";
import { openHarness } from "../support/harness.js";

// The proposal "Tool Approval System": its example configuration and its three scenarios, unchanged, over tools of MCP
// servers with the names that it uses.

/** What each server says of its tools. Many say nothing. */
const servers = {
  "code-executor": { run_python: {}, run_bash: { destructiveHint: false } },
  filesystem: {
    write_file: {},
    move_file: {},
    delete_file: { destructiveHint: true },
    read_file: { readOnlyHint: true },
  },
  calculator: { eval: { readOnlyHint: true } },
};

const program = fileURLToPath(new URL("../support/mcp/named-tools.mjs", import.meta.url));

/** Ways to give an agent these tools, with the separator that their names then have. */
const ways = ["mcpTools", 'mcpTools with the separator "__"', "AgentKit's mcpServers"] as const;
type Way = (typeof ways)[number];
const separatorOf = (way: Way) => (way === ways[1] ? "__" : "-");

/** A desk whose agent makes the calls of the user's message, under one of the proposal's files. */
async function open(fixture: string, way: Way = "mcpTools") {
  const effects = join(mkdtempSync(join(tmpdir(), "countersign-tools-")), "effects");
  writeFileSync(effects, "");
  const commands = Object.entries(servers).map(([name, tools]) => {
    const env = { TOOLS: JSON.stringify(tools), EFFECTS: effects };
    return { name, command: process.execPath, args: [program], env };
  });
  const ours =
    way === "AgentKit's mcpServers"
      ? undefined
      : await mcpTools({
          servers: Object.fromEntries(commands.map(({ name, ...command }) => [name, command])),
          separator: separatorOf(way),
        });
  const mcpServers = commands.map(({ name, ...command }) => ({
    name,
    transport: { type: "stdio" as const, ...command },
  }));
  const warnings: string[] = [];
  const database = await freshPostgres();
  const harness = await openHarness({
    database,
    tools: ours?.tools ?? [],
    ...(ours ? {} : { agent: { mcpServers } }),
    policy: openPolicy({
      defaults: fileURLToPath(new URL(`fixtures/${fixture}`, import.meta.url)),
      watch: false,
    }),
    reply: callsFromMessage,
    countersign: {
      logger: { info: () => {}, warn: (text) => warnings.push(text), error: (text) => warnings.push(text) },
    },
  });
  const name = (server: string, tool: string) => `${server}${separatorOf(way)}${tool}`;
  return {
    harness,
    name,
    warnings,
    /** Calls one tool of each `[server, tool]`, with a text. */
    say: (...calls: [server: string, tool: string, text?: string][]) =>
      harness.say(
        callsOf(
          ...calls.map(([server, tool, text = "x"]) => ({ name: name(server, tool), input: { text } })),
        ),
      ),
    /** What the servers did. */
    effects: () =>
      readFileSync(effects, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line): { tool: string; text: string } => JSON.parse(line)),
    /** The last request to the model. */
    modelRead: () => JSON.stringify(harness.model.requests.at(-1)?.body),
    decide: (call: ApprovalView, body: object) =>
      harness.call("finance", `/approvals/${call.id}/decision`, {
        method: "POST",
        body: { digest: call.digest, ...body },
      }),
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await ours?.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** What people may do with a call, and how many minutes they have. */
function terms({ toolName, decisions, editable, createdAt, expiresAt }: ApprovalView) {
  const minutes = Math.round((Date.parse(expiresAt ?? "") - Date.parse(createdAt)) / 60_000);
  return { toolName, decisions, editable, minutes };
}
const noEdit = { decisions: ["approve", "deny"], editable: [], minutes: 5 };
const withEdit = { decisions: ["approve", "edit", "deny"], editable: ["*"], minutes: 5 };
const byName = (calls: readonly ApprovalView[]) =>
  calls.map(terms).sort((one, other) => (one.toolName < other.toolName ? -1 : 1));

it.each(ways)(
  "the example configuration over tools of %s asks about Python, Bash, file writes and what may do harm, and lets others run",
  async (way) => {
    await using desk = await open("tool-approvals.json", way);
    const { runId } = await desk.say(
      ["code-executor", "run_python"],
      ["code-executor", "run_bash"],
      ["filesystem", "write_file"],
      ["filesystem", "move_file"],
      ["filesystem", "read_file", "notes"],
      ["calculator", "eval", "1 + 1"],
    );
    const calls = await desk.harness.pending(4);
    expect(byName(calls)).toEqual([
      { toolName: desk.name("code-executor", "run_bash"), ...withEdit },
      { toolName: desk.name("code-executor", "run_python"), ...withEdit },
      // Not listed, and not marked as harmless by its server, although the file's default is to let tools run.
      { toolName: desk.name("filesystem", "move_file"), ...noEdit, minutes: 30 },
      { toolName: desk.name("filesystem", "write_file"), ...noEdit },
    ]);
    expect(desk.warnings).toEqual([]);
    for (const call of calls) await desk.harness.decide(call, "deny");
    await desk.harness.ended(runId);
    const ran = desk.effects().map(({ tool }) => tool);
    expect(ran.sort()).toEqual(["eval", "read_file"]);
  },
);

// Scenario 1, a review of Python code, is an edit as in scenario 2.
it("scenario 2: a person may edit a file write, and only approve or deny a deletion", async () => {
  await using desk = await open("tool-approvals.file-protection.json");
  const { runId } = await desk.say(["filesystem", "delete_file", "/a"], ["filesystem", "write_file", "/b"]);
  const [deletion, write] = (await desk.harness.pending(2)).sort((one) =>
    one.toolName.endsWith("delete_file") ? -1 : 1,
  ) as [ApprovalView, ApprovalView];
  expect([deletion, write].map(terms)).toMatchObject([noEdit, withEdit]);
  const edit = { type: "edit", input: { text: "/tmp/b" } };
  expect(await desk.decide(deletion, edit)).toMatchObject({
    status: 409,
    body: { code: "decision_not_allowed" },
  });
  expect(await desk.decide(write, edit)).toMatchObject({ status: 200 });
  await desk.harness.decide(deletion, "approve");
  await desk.harness.ended(runId);
  expect(desk.effects().sort((one, other) => (one.tool < other.tool ? -1 : 1))).toEqual([
    { tool: "delete_file", text: "/a" },
    { tool: "write_file", text: "/tmp/b" },
  ]);
  expect(desk.modelRead()).toContain("write_file did /tmp/b");
});

it("scenario 3: strict mode lets only the calculator run, and rejects the rest after 5 minutes", async () => {
  await using desk = await open("tool-approvals.strict.json");
  const { runId } = await desk.say(
    ["calculator", "eval", "1 + 1"],
    ["filesystem", "read_file"],
    ["code-executor", "run_bash"],
  );
  const calls = await desk.harness.pending(2);
  expect(byName(calls)).toEqual([
    { toolName: desk.name("code-executor", "run_bash"), ...noEdit },
    { toolName: desk.name("filesystem", "read_file"), ...noEdit },
  ]);
  await desk.harness.clock.advance("5m");
  await desk.harness.ended(runId);
  expect(desk.effects()).toEqual([{ tool: "eval", text: "1 + 1" }]);
  expect(desk.modelRead()).toContain("expired");
});
