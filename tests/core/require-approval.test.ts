import { createTool } from "@inngest/agent-kit";
import { type ApprovalSteps, allow, ask, definePolicy } from "countersign";
import type { Countersign } from "countersign/agent-kit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually, openHarness } from "../support/harness.js";

async function openGate(checkpointing = true) {
  const database = await freshPostgres();
  const done: unknown[] = [];
  const harness = await openHarness({
    database,
    tools: [],
    checkpointing,
    reply: () => ({ text: "unused" }),
    run: async ({ countersign, step, message }) => {
      const answer = await countersign.requireApproval(step, {
        action: "drop table",
        details: { table: message, token: "s3cret" },
        summary: "Drop the table {{table}}",
        approvers: { roles: ["lead"] },
        redact: ["token"],
        risk: "critical",
      });
      if (answer.approved) await step.run("drop", () => done.push(message));
      return answer;
    },
  });
  const { runId } = await harness.say("orders");
  const pending = await eventually(async () => {
    const { body } = await harness.call("lead", "/approvals?status=pending");
    return body.items[0];
  }, "the gate is pending");
  const ended = () => harness.ended(runId);
  return {
    harness,
    done,
    pending,
    ended,
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

describe("requireApproval in a plain function", () => {
  it.each([true, false])("waits, continues once if approved, checkpointing %s", async (checkpointing) => {
    await using gate = await openGate(checkpointing);
    expect(gate.pending).toMatchObject({
      toolName: "drop table",
      summary: "Drop the table orders",
      risk: "critical",
      input: { table: "orders", token: "[hidden]" },
      redacted: ["token"],
    });
    expect(gate.done).toEqual([]);
    expect((await gate.harness.decide(gate.pending, "approve", "finance")).status).toBe(404);
    expect((await gate.harness.decide(gate.pending, "approve", "lead")).status).toBe(200);
    await gate.ended();
    expect(gate.done).toEqual(["orders"]);
    expect((await gate.harness.call("lead", `/approvals/${gate.pending.id}`)).body.status).toBe("executed");
  });

  it("does not continue to the action if the approval is denied or expires", async () => {
    await using denied = await openGate();
    await denied.harness.decide(denied.pending, "deny", "lead");
    await denied.ended();
    expect(denied.done).toEqual([]);
    await using expired = await openGate();
    await expired.harness.clock.advance("31m");
    await expired.ended();
    expect(expired.done).toEqual([]);
  });

  it("rejects outside an Inngest function", async () => {
    await using gate = await openGate();
    await expect(
      gate.harness.countersign.requireApproval({} as never, { action: "x", details: {} }),
    ).rejects.toMatchObject({ code: "outside_inngest" });
  });
});

it("requireApproval rejects requesterMayNotApprove without a requester and creates no approval", async () => {
  await using database = await freshPostgres();
  const errors: unknown[] = [];
  await using harness = await openHarness({
    database,
    tools: [],
    reply: () => ({ text: "unused" }),
    run: ({ countersign, step }) =>
      countersign
        .requireApproval(step, { action: "drop table", details: {}, requesterMayNotApprove: true })
        .catch((error) => errors.push(error)),
  });
  const { runId } = await harness.say("orders");
  await harness.ended(runId);
  expect(errors).toContainEqual(
    expect.objectContaining({ code: "invalid_request", message: expect.stringContaining("requester: ") }),
  );
  expect(await harness.store.listApprovals({ tenantId: "acme", limit: 1 })).toEqual([]);
});

it("requireApproval in an agent's tool inherits the agent's requester and thread", async () => {
  await using database = await freshPostgres();
  await using harness = await openHarness({
    database,
    policy: definePolicy({ tools: { migrate: allow() } }),
    reply: inTurns({ toolCalls: [{ name: "migrate", input: {} }] }),
    tools: [
      createTool({
        name: "migrate",
        parameters: z.object({}),
        handler: async (_input, { step }) =>
          instance.countersign?.requireApproval(step as ApprovalSteps, {
            ...{ action: "drop table", details: {}, requesterMayNotApprove: true },
          }),
      }),
    ],
    network: (_network, _step, countersign) => {
      instance.countersign = countersign;
      return undefined;
    },
  });
  const { runId, threadId } = await harness.say("Drop the table");
  const approval = await harness.onlyPending();
  expect(approval).toMatchObject({ toolName: "drop table", requesterId: "requester", threadId });
  await harness.decide(approval, "approve");
  await harness.ended(runId);
});

const instance: { countersign?: Countersign } = {};

describe("redaction", () => {
  const policy = definePolicy({
    tools: {
      refund: ask({
        redact: ["id"],
        summary: "Refund {{amount}} for {{id}}",
        decisions: ["approve", "edit", "deny"],
        editable: ["amount"],
      }),
    },
  });
  const refund = { name: "refund", input: { id: "A-SECRET", amount: 80 } };

  it("hides a field from people, runs the call with its real value, and permits edits of other fields", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    await using harness = await openHarness({
      database,
      tools,
      policy,
      reply: inTurns({ toolCalls: [refund] }),
    });
    const { runId } = await harness.say("Refund");
    const approval = await harness.onlyPending();
    expect(JSON.stringify(approval)).not.toContain("A-SECRET");
    expect(approval).toMatchObject({
      input: { id: "[hidden]", amount: 80 },
      summary: "Refund 80 for [hidden]",
    });
    const body = { type: "edit", digest: approval.digest, input: { id: "[hidden]", amount: 50 } };
    const answer = await harness.call("finance", `/approvals/${approval.id}/decision`, {
      method: "POST",
      body,
    });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).not.toContain("A-SECRET");
    await harness.ended(runId);
    expect(effects).toEqual([{ tool: "refund", input: { id: "A-SECRET", amount: 50 } }]);
  });
});

it.each([
  ["too few roles", { approvers: { roles: ["lead"] }, quorum: 3 }],
  ["no approvers", { quorum: 2 }],
  ["approvers by id only", { approvers: { ids: ["ann", "bob"] }, quorum: 2 }],
])("requireApproval rejects a quorum of different roles that cannot be reached: %s", async (_what, terms) => {
  await using database = await freshPostgres();
  await using harness = await openHarness({
    database,
    tools: [],
    reply: () => ({ text: "unused" }),
    run: ({ countersign, step }) =>
      countersign
        .requireApproval(step, { action: "drop", details: {}, distinctRoles: true, ...terms })
        .catch(({ code, message }) => ({ code, message })),
  });
  const { runId } = await harness.say("go");
  await harness.ended(runId);
  expect((await harness.runStatus(runId)).output).toMatchObject({
    code: "invalid_request",
    message: expect.stringMatching(/^requireApproval: quorum: \d approvals require as many different roles/),
  });
  expect(await harness.store.listApprovals({ tenantId: "acme", limit: 9 })).toEqual([]);
});
