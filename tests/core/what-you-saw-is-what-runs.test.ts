import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, deny, type Policy } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const refund = { toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] };

/** Approves a call while the engine is stopped, applies `change`, and starts the engine again. */
async function changeAfterApproval(
  change: (world: {
    sql: Awaited<ReturnType<typeof freshPostgres>>["postgres"];
    tools: ReturnType<typeof deskTools>["tools"];
    approvalId: string;
    policy: { now: Policy };
  }) => unknown,
) {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const rules = { now: definePolicy({ tools: { refund: ask() } }) };
  const policy: Policy = {
    get version() {
      return rules.now.version;
    },
    evaluate: (call) => rules.now.evaluate(call),
    explain: (call) => rules.now.explain(call),
    profiles: [],
  };
  await using harness = await openHarness({ database, tools, policy, reply: inTurns(refund) });
  const { runId } = await harness.say("Refund A-1");
  const approval = await harness.onlyPending();
  await harness.engine.stop();
  await harness.decide(approval, "approve");
  await change({ sql: database.admin, tools, approvalId: approval.id, policy: rules });
  await harness.engine.start();
  await harness.ended(runId);
  return {
    effects,
    approval: await harness.approval(approval.id),
    secondRequest: JSON.stringify(harness.model.requests[1]?.body),
  };
}

describe("an approved call", () => {
  it("runs when nothing changes before its start", async () => {
    const { effects, approval } = await changeAfterApproval(() => {});
    expect(approval.status).toBe("executed");
    expect(effects).toHaveLength(1);
  });

  it("does not run when one byte of its stored arguments changes", async () => {
    const { effects, approval, secondRequest } = await changeAfterApproval(
      ({ sql, approvalId }) =>
        sql`update countersign.approvals set input_json = replace(input_json, '80', '90') where id = ${approvalId}`,
    );
    expect(approval).toMatchObject({ status: "withdrawn", withdrawalCause: "digest_changed" });
    expect(secondRequest).toContain("no longer matches what was approved");
    expect(effects).toEqual([]);
  });

  it("does not run when its row names another tool", async () => {
    const { effects, approval } = await changeAfterApproval(
      ({ sql, approvalId }) =>
        sql`update countersign.approvals set tool_name = 'email' where id = ${approvalId}`,
    );
    expect(approval).toMatchObject({ status: "withdrawn", withdrawalCause: "digest_changed" });
    expect(effects).toEqual([]);
  });

  it("does not run when the tool's description changes", async () => {
    const { effects, approval, secondRequest } = await changeAfterApproval(({ tools }) => {
      const index = tools.findIndex(({ name }) => name === "refund");
      tools[index] = {
        ...(tools[index] as (typeof tools)[number]),
        description: "Refund an order twice",
      } as never;
    });
    expect(approval).toMatchObject({ status: "withdrawn", withdrawalCause: "tool_changed" });
    expect(secondRequest).toContain("definition changed after the approval");
    expect(effects).toEqual([]);
  });

  it("does not run when the tool's schema changes", async () => {
    const { effects, approval } = await changeAfterApproval(({ tools }) => {
      const index = tools.findIndex(({ name }) => name === "refund");
      const parameters = z.object({ id: z.string(), amount: z.number().max(1000) });
      tools[index] = { ...(tools[index] as (typeof tools)[number]), parameters } as never;
    });
    expect(approval).toMatchObject({ status: "withdrawn", withdrawalCause: "tool_changed" });
    expect(effects).toEqual([]);
  });

  it("does not run when the policy now denies it", async () => {
    const { effects, approval, secondRequest } = await changeAfterApproval(({ policy }) => {
      policy.now = definePolicy({ tools: { refund: deny("Refunds are frozen") } });
    });
    expect(approval).toMatchObject({ status: "withdrawn", withdrawalCause: "policy_changed" });
    expect(secondRequest).toContain("the policy changed after the approval");
    expect(effects).toEqual([]);
  });
});

describe("arguments", () => {
  const seen: unknown[] = [];
  const anything = createTool({
    name: "store",
    parameters: z.looseObject({}),
    handler: (input) => {
      seen.push(input);
      return "stored";
    },
  });
  const policy = definePolicy({ tools: { store: ask() } });

  async function approveWith(json: string) {
    seen.length = 0;
    await using database = await freshPostgres();
    const reply = inTurns({ toolCalls: [{ name: "store", input: JSON.parse(json) }] });
    const tool = { ...anything, strict: false };
    await using harness = await openHarness({ database, tools: [tool], policy, reply });
    const { runId } = await harness.say("Store it");
    const approval = await harness.onlyPending();
    expect(JSON.stringify(approval.input)).toBe(json);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(JSON.stringify(seen[0])).toBe(json);
  }

  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

  it.each([
    ["of 1 MB", JSON.stringify({ text: "é".repeat(500_000) })],
    ["500 levels deep", nested(500)],
    [
      "with every kind of text",
      JSON.stringify({ text: "\u0000 \u202e \ud83d\udc94 אבג \u001b[31m <script> \u2028" }),
    ],
    [
      "with keys that are special in JavaScript",
      '{"__proto__":{"admin":true},"constructor":1,"toString":"x"}',
    ],
    [
      "with keys out of order and extreme numbers",
      '{"z":1e-7,"a":9007199254740991,"m":[1,2,{"y":null,"x":false}]}',
    ],
  ])("%s arrive as they were approved", async (_name, json) => {
    await approveWith(json);
  });

  it.each([
    ["nested too deeply", nested(1001), "deeper than 1000 levels"],
    ["of too many values", JSON.stringify({ list: Array(10_000).fill(0) }), "more than 10,000 values"],
    ["with an unpaired surrogate", '{"text":"\\ud83d"}', "not valid Unicode"],
  ])("%s are refused with a reason", async (_name, json, reason) => {
    await using database = await freshPostgres();
    const reply = inTurns({ toolCalls: [{ name: "store", input: JSON.parse(json) }] });
    const tool = { ...anything, strict: false };
    await using harness = await openHarness({ database, tools: [tool], policy, reply });
    const { runId } = await harness.say("Store it");
    await harness.ended(runId);
    expect(JSON.stringify(harness.model.requests[1]?.body)).toContain(reason);
  });
});
