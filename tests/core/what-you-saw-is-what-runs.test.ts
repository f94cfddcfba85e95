import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, deny, manual, type Policy } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

// tests/core/redeploy-mid-run.test.ts tests redeploys.

const email = { name: "email", input: { to: "customer", text: "Refunded" } };
const erase = { name: "erase", input: { id: "A-1" } };
const refundOf = (id: string) => ({ name: "refund", input: { id, amount: 80 } });

/**
 * Approves the calls of one response while the engine is stopped, applies `change`, and starts the engine again. Returns
 * the calls in their order, with the types of their log.
 */
async function changeAfterApproval(
  toolCalls: readonly { name: string; input: object }[],
  change: (world: {
    sql: Awaited<ReturnType<typeof freshPostgres>>["admin"];
    tools: ReturnType<typeof deskTools>["tools"];
    approvalIds: string[];
    policy: { now: Policy };
  }) => unknown,
) {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const rules = { now: definePolicy({ tools: { "*": ask() } }) };
  const policy: Policy = {
    get version() {
      return rules.now.version;
    },
    evaluate: (call) => rules.now.evaluate(call),
    explain: (call) => rules.now.explain(call),
    profiles: [],
  };
  const reply = inTurns({ toolCalls: [...toolCalls] });
  await using harness = await openHarness({ database, tools, policy, reply });
  const { runId } = await harness.say("Refund A-1");
  const pending = await harness.pending(toolCalls.length);
  const asked = toolCalls.flatMap(({ name, input }) =>
    pending.filter((call) => call.toolName === name && JSON.stringify(call.input) === JSON.stringify(input)),
  );
  await harness.engine.stop();
  for (const call of asked) expect((await harness.decide(call, "approve")).status).toBe(200);
  await change({ sql: database.admin, tools, approvalIds: asked.map(({ id }) => id), policy: rules });
  await harness.engine.start();
  await harness.ended(runId);
  const ends = asked.map(async ({ id }) => {
    const { status, withdrawalCause } = await harness.approval(id);
    const trail = await harness.store.auditTrail("acme", id);
    const last = trail.at(-1);
    const started = trail.some(({ type }) => type === "approval.executing");
    return { status, cause: withdrawalCause, started, last: [last?.type, last?.actorId, last?.data.cause] };
  });
  return {
    effects,
    calls: await Promise.all(ends),
    secondRequest: JSON.stringify(harness.model.requests[1]?.body),
  };
}

const withdrawn = (cause: string) => ({
  ...{ status: "withdrawn", cause, started: false },
  last: ["approval.withdrawn", null, cause],
});

/** What an attacker may write into the row of an approved call. */
const changes = {
  "one byte of its arguments": "input_json = replace(input_json, '80', '81')",
  "one byte of an argument's name": "input_json = replace(input_json, 'amount', 'Amount')",
  "a second key amount": `input_json = replace(input_json, '}', ',"amount":9}')`,
  "an edit that nobody made": `edited_input_json = '{"id":"A-1","amount":9}', edited_digest = digest`,
  "its digest": "digest = repeat('0', 64)",
  "its tool's name": "tool_name = 'erase'",
  "its tool's version": "tool_version = repeat('0', 64)",
  "its policy's version": "policy_version = 'another'",
};

describe("an approved call", () => {
  it("is withdrawn when anything in its row changes, and its neighbours run", async () => {
    const whats = Object.keys(changes);
    const { effects, calls, secondRequest } = await changeAfterApproval(
      [...whats, "nothing"].map(refundOf),
      async ({ sql, approvalIds }) => {
        for (const [index, assignment] of Object.values(changes).entries())
          await sql.unsafe(`update countersign.approvals set ${assignment} where id = $1`, [
            approvalIds[index] ?? "",
          ]);
      },
    );
    expect(Object.fromEntries(whats.map((what, index) => [what, calls[index]]))).toEqual(
      Object.fromEntries(whats.map((what) => [what, withdrawn("digest_changed")])),
    );
    expect(calls.at(-1)).toMatchObject({ status: "executed", started: true });
    expect(effects).toEqual([{ tool: "refund", input: { id: "nothing", amount: 80 } }]);
    expect(secondRequest).toContain("no longer matches what was approved");
    expect(secondRequest.split("approval_withdrawn")).toHaveLength(whats.length + 1);
  });

  it("is withdrawn when a release changes the tool's description or schema", async () => {
    const parameters = z.object({ to: z.string(), text: z.string().max(1000) });
    const { effects, calls, secondRequest } = await changeAfterApproval(
      [refundOf("A-1"), email, erase],
      ({ tools }) => {
        for (const [index, tool] of tools.entries()) {
          if (tool.name === "refund") tools[index] = { ...tool, description: "Refund an order!" } as never;
          if (tool.name === "email") tools[index] = { ...tool, parameters } as never;
        }
      },
    );
    expect(calls).toMatchObject([
      withdrawn("tool_changed"),
      withdrawn("tool_changed"),
      { status: "executed" },
    ]);
    expect(secondRequest).toContain("definition changed after the approval");
    expect(effects).toEqual([{ tool: "erase", input: erase.input }]);
  });

  it("is withdrawn when the policy now denies it, or gives it to people", async () => {
    const { effects, calls, secondRequest } = await changeAfterApproval(
      [refundOf("A-1"), email, erase],
      ({ policy }) => {
        policy.now = definePolicy({
          tools: { refund: deny("Refunds are frozen"), email: manual(), erase: ask() },
        });
      },
    );
    expect(calls).toMatchObject([
      withdrawn("policy_changed"),
      withdrawn("policy_changed"),
      { status: "executed" },
    ]);
    expect(secondRequest).toContain("the policy changed after the approval");
    expect(effects).toEqual([{ tool: "erase", input: erase.input }]);
  });
});

describe("arguments", () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

  /** A desk whose model calls one tool with each of these arguments. */
  async function openStoring(inputs: readonly string[]) {
    const seen: string[] = [];
    const store = createTool({
      name: "store",
      parameters: z.looseObject({}),
      handler: (input) => seen.push(JSON.stringify(input)),
    });
    const database = await freshPostgres();
    const harness = await openHarness({
      database,
      tools: [{ ...store, strict: false }],
      policy: definePolicy({ tools: { store: ask() } }),
      reply: inTurns({ toolCalls: inputs.map((json) => ({ name: "store", input: JSON.parse(json) })) }),
    });
    return {
      harness,
      seen,
      async [Symbol.asyncDispose]() {
        await harness[Symbol.asyncDispose]();
        await database[Symbol.asyncDispose]();
      },
    };
  }

  it("arrive as they were approved", async () => {
    const inputs = {
      "of 1 MB": JSON.stringify({ text: "é".repeat(500_000) }),
      "500 levels deep": nested(500),
      "with every kind of text": JSON.stringify({
        text: "\u0000 \u202e \ud83d\udc94 אבג \u001b[31m <script> \u2028",
      }),
      "with keys that are special in JavaScript":
        '{"__proto__":{"admin":true},"constructor":1,"toString":"x"}',
      "with keys out of order and extreme numbers":
        '{"z":1e-7,"a":9007199254740991,"m":[1,2,{"y":null,"x":false}]}',
    };
    await using desk = await openStoring(Object.values(inputs));
    const { harness } = desk;
    const { runId } = await harness.say("Store them");
    const asked = await harness.pending(5);
    for (const call of asked) await harness.decide(call, "approve");
    await harness.ended(runId);
    const shown = asked.map(({ input }) => JSON.stringify(input));
    const arrived = Object.entries(inputs).map(([name, json]) => [
      name,
      shown.includes(json) && desk.seen.includes(json),
    ]);
    expect(arrived).toEqual(Object.keys(inputs).map((name) => [name, true]));
    expect(desk.seen).toHaveLength(5);
  });

  it("that cannot be kept or shown are refused with a reason", async () => {
    await using desk = await openStoring([
      nested(1001),
      JSON.stringify({ list: Array(10_000).fill(0) }),
      '{"text":"\\ud83d"}',
    ]);
    const { runId } = await desk.harness.say("Store them");
    await desk.harness.ended(runId);
    const read = JSON.stringify(desk.harness.model.requests[1]?.body);
    for (const reason of ["deeper than 1000 levels", "more than 10,000 values", "not valid Unicode"])
      expect(read).toContain(reason);
    expect(desk.seen).toEqual([]);
  });
});
