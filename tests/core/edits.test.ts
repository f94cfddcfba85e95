import { ask, definePolicy, deny } from "countersign";
import { describe, expect, it } from "vitest";
import { runSql } from "../support/audit-log.js";
import { openWaitingRefund, type WaitingRefundOptions } from "../support/waiting-refund.js";

const refund = { name: "refund", input: { id: "A-1", amount: 80 } };

const policy = definePolicy({
  tools: {
    refund: ({ input }) => {
      const amount = Number(input.amount);
      if (amount > 1000) return deny("Too much");
      if (amount > 100) return ask({ approvers: { roles: ["lead"] } });
      return ask({
        approvers: { roles: ["finance"] },
        decisions: ["approve", "edit", "deny"],
        editable: ["amount"],
      });
    },
    email: ask(),
  },
});

async function openRefund(options: WaitingRefundOptions = {}) {
  const world = await openWaitingRefund({ policy, ...options });
  const { harness, approval } = world;
  const edit = (input: unknown, token = "finance") =>
    harness.call(token, `/approvals/${approval.id}/decision`, {
      method: "POST",
      body: { type: "edit", digest: approval.digest, input },
    });
  return { ...world, edit };
}

describe.each(["openai", "anthropic"] as const)("an edit of a call in the %s format", (format) => {
  it("runs the tool with the edited arguments only, and the model reads both values", async () => {
    await using world = await openRefund({ format });
    const { harness, approval } = world;
    const answer = await world.edit({ id: "A-1", amount: 50 });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: "approved",
        input: { amount: 80 },
        editedInput: { id: "A-1", amount: 50 },
        decision: { type: "edit" },
      },
    });
    await harness.ended(world.runId);
    expect(world.effects).toEqual([{ tool: "refund", input: { id: "A-1", amount: 50 } }]);
    expect(harness.model.requests.map(({ error, status }) => error ?? status)).toEqual([200, 200]);
    const modelRequest = JSON.stringify(harness.model.requests[1]?.body);
    expect(modelRequest).toContain("amount from 80 to 50");
    expect(modelRequest).toContain("Do not repeat the original call");
    const trail = await harness.store.auditTrail("acme", approval.id);
    const edited = trail.find(({ type }) => type === "approval.edited");
    expect(edited?.data).toMatchObject({
      digest: approval.digest,
      editedDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(edited?.data.editedDigest).not.toBe(approval.digest);
  });
});

describe("an edit", () => {
  it.each([
    ["changes a field that is not editable", { id: "A-2", amount: 50 }, 400, "invalid_edit", "input.id"],
    ["adds a field", { id: "A-1", amount: 50, note: "x" }, 400, "invalid_edit", "input.note"],
    ["drops a field", { id: "A-1" }, 400, "invalid_edit", "input.amount"],
    ["has a value of the wrong type", { id: "A-1", amount: "50" }, 400, "invalid_edit", "input.amount"],
    ["changes nothing", { id: "A-1", amount: 80 }, 400, "invalid_edit", "input"],
    ["is not an object", [1], 400, "invalid_edit", "input"],
    ["needs another approver", { id: "A-1", amount: 500 }, 403, "edit_not_allowed", undefined],
    ["is denied by the policy", { id: "A-1", amount: 5000 }, 403, "edit_not_allowed", undefined],
  ])("is refused, and the approval stays pending, if it %s", async (_name, input, status, code, field) => {
    await using world = await openRefund();
    const answer = await world.edit(input);
    expect(answer).toMatchObject({ status, body: { code } });
    if (field) expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
    expect((await world.harness.approval(world.approval.id)).status).toBe("pending");
    expect(world.effects).toEqual([]);
  });

  it("is refused without arguments, as are arguments without an edit", async () => {
    await using world = await openRefund();
    expect(await world.edit(undefined)).toMatchObject({
      status: 400,
      body: { errors: [{ field: "input" }] },
    });
    const body = { type: "approve", digest: world.approval.digest, input: refund.input };
    const answer = await world.harness.call("finance", `/approvals/${world.approval.id}/decision`, {
      method: "POST",
      body,
    });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "input" }] } });
  });

  it("is refused if the person may not decide, the digest is stale, or no field is editable", async () => {
    await using world = await openRefund();
    expect((await world.edit({ id: "A-1", amount: 50 }, "lead")).status).toBe(404);
    const stale = { type: "edit", digest: "0".repeat(64), input: { id: "A-1", amount: 50 } };
    const answer = await world.harness.call("finance", `/approvals/${world.approval.id}/decision`, {
      method: "POST",
      body: stale,
    });
    expect(answer).toMatchObject({ status: 409, body: { code: "digest_mismatch" } });

    await using closed = await openRefund({
      policy: definePolicy({ tools: { refund: ask({ decisions: ["approve", "edit", "deny"] }) } }),
    });
    expect(await closed.edit({ id: "A-1", amount: 50 })).toMatchObject({
      status: 409,
      body: { code: "decision_not_allowed" },
    });
  });
});

it("a call does not run with edited arguments that were tampered with in the database", async () => {
  await using world = await openRefund();
  await world.harness.engine.stop();
  await world.edit({ id: "A-1", amount: 50 });
  await runSql(
    world.database,
    `update countersign.approvals set edited_input_json = '{"id":"A-1","amount":59}'`,
  );
  await world.harness.engine.start();
  await world.harness.ended(world.runId);
  expect(await world.harness.approval(world.approval.id)).toMatchObject({
    withdrawalCause: "digest_changed",
  });
  expect(world.effects).toEqual([]);
});

it("one of several concurrent edits wins, and a repeat of the winning edit succeeds", async () => {
  await using world = await openRefund();
  const answers = await Promise.all([50, 50, 40, 30].map((amount) => world.edit({ id: "A-1", amount })));
  const { editedInput } = (await world.harness.approval(world.approval.id)) as {
    editedInput: { amount: number };
  };
  for (const [index, amount] of [50, 50, 40, 30].entries()) {
    expect(answers[index]?.status).toBe(editedInput.amount === amount ? 200 : 409);
  }
  await world.harness.ended(world.runId);
  expect(world.effects).toHaveLength(1);
});
