import {
  allow,
  ask,
  type CountersignOptions,
  definePolicy,
  gateTool,
  type Policy,
  type RunGate,
} from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { openHarness } from "../support/harness.js";
import { calls } from "../support/loops/loop-desk.js";

/** What a person approves applies to a loop's calls as it does to AgentKit's. */
async function openRun(
  policy: Policy,
  body: (gate: RunGate) => Promise<unknown>,
  countersign: Partial<CountersignOptions> = {},
) {
  const database = await freshPostgres();
  const harness = await openHarness({
    ...{ database, policy, countersign, tools: [], reply: () => ({ text: "unused" }) },
    run: ({ countersign: { gate }, step, state }) =>
      body(gate({ step, context: { requester: { id: "requester" }, threadId: String(state.threadId) } })),
  });
  return {
    harness,
    async decide({ id, digest }: { id: string; digest: string }, who: string, more: object = {}) {
      const decision = { method: "POST", body: { type: "approve", digest, ...more } };
      expect((await harness.call(who as "finance", `/approvals/${id}/decision`, decision)).status).toBe(200);
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const refundOf = (ran: unknown[], result: unknown = "paid") =>
  gateTool({
    name: "refund",
    inputSchema: z.object({ id: z.string() }),
    execute: ({ id }) => {
      ran.push(id);
      return result;
    },
  });

const refunds = (...ids: string[]) => ids.map((id) => [id, "refund", { id }] as [string, string, unknown]);

describe("calls of a loop", () => {
  it("wait for as many people as the policy wants", async () => {
    const ran: unknown[] = [];
    const policy = definePolicy({
      tools: { refund: ask({ quorum: 2, approvers: { roles: ["finance", "lead"] } }) },
    });
    await using run = await openRun(policy, (gate) => gate.calls([refundOf(ran)], calls(...refunds("A-1"))));
    const { runId } = await run.harness.say("go");
    const call = await run.harness.onlyPending();
    await run.decide(call, "finance");
    await run.harness.engine.idle();
    expect(ran).toEqual([]);
    await run.decide(call, "lead");
    expect((await run.harness.ended(runId)).output).toMatchObject([{ status: "executed" }]);
    expect(ran).toEqual(["A-1"]);
  });

  it("run under a grant that somebody gave with the call before", async () => {
    const ran: unknown[] = [];
    const policy = definePolicy({ tools: { refund: ask({ grantable: ["thread"] }) } });
    await using run = await openRun(policy, async (gate) => {
      const tools = [refundOf(ran)];
      return [
        await gate.calls(tools, calls(...refunds("A-1"))),
        await gate.calls(tools, calls(...refunds("A-2"))),
      ];
    });
    const { runId } = await run.harness.say("go");
    const grant = { scope: "thread", arguments: "any" };
    await run.decide(await run.harness.onlyPending(), "finance", { grant });
    await run.harness.ended(runId);
    expect(ran).toEqual(["A-1", "A-2"]);
    expect(await run.harness.store.listApprovals({ tenantId: "acme", limit: 10 })).toHaveLength(2);
  });

  it("tell the model of a result that is too large", async () => {
    const ran: unknown[] = [];
    const policy = definePolicy({ tools: { refund: ask() } });
    await using run = await openRun(
      policy,
      (gate) => gate.calls([refundOf(ran, "x".repeat(2_000))], calls(...refunds("A-1"))),
      { limits: { resultBytes: 1_000 } },
    );
    const { runId } = await run.harness.say("go");
    await run.decide(await run.harness.onlyPending(), "finance");
    expect((await run.harness.ended(runId)).output).toMatchObject([
      { status: "executed", content: expect.stringContaining("too large to be shown here") },
    ]);
  });

  it("are judged by what the server of an MCP tool says about it", async () => {
    const ran: unknown[] = [];
    const policy = definePolicy({
      mcp: { trustedServers: ["files"] },
      tools: { delete_file: allow() },
    });
    const tool = (name: string, hints: object) =>
      gateTool({
        name,
        inputSchema: z.object({ path: z.string() }),
        execute: ({ path }) => ran.push(path),
        mcp: { server: "files", tool: name, ...hints },
      });
    const tools = [tool("read_file", { readOnlyHint: true }), tool("delete_file", { destructiveHint: true })];
    await using run = await openRun(policy, (gate) =>
      gate.calls(tools, calls(["r", "read_file", { path: "a" }], ["d", "delete_file", { path: "b" }])),
    );
    const { runId } = await run.harness.say("go");
    const waiting = await run.harness.onlyPending();
    expect(waiting.toolName).toBe("delete_file");
    await run.decide(waiting, "finance");
    await run.harness.ended(runId);
    expect(ran).toEqual(["a", "b"]);
  });
});
