import { ask, definePolicy, type Principal } from "countersign";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools } from "../support/desk-tools.js";
import { eventually, openHarness } from "../support/harness.js";

const program: Principal = { id: "release-bot", tenantId: "acme", roles: [] };
const call = { principal: program, toolName: "refund", input: { id: "A-1001", amount: 80 } };

async function openDesk() {
  const database = await freshPostgres();
  const harness = await openHarness({
    database,
    tools: deskTools().tools,
    reply: () => ({ text: "Done." }),
    policy: definePolicy({
      tools: {
        refund: ask({
          approvers: { roles: ["finance"] },
          timeout: "1h",
          escalation: [
            { after: "10m", remind: true },
            { after: "20m", escalateTo: ["lead"] },
          ],
        }),
      },
    }),
  });
  const { externalCalls } = harness.countersign;
  const asked = await externalCalls.request(call);
  if (asked.status !== "pending") throw new Error(`It is ${asked.status}`);
  const { approvalId } = asked;
  return {
    harness,
    externalCalls,
    approvalId,
    trail: async () => (await harness.store.auditTrail("acme", approvalId)).map(({ type }) => type),
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

it("an external call is reminded, escalated and expired, although no run waits for it", async () => {
  await using desk = await openDesk();
  const { harness, trail } = desk;
  const reached = (type: string) =>
    eventually(async () => ((await trail()).includes(type) ? true : undefined), type);
  await harness.engine.idle();
  await harness.clock.advance("11m");
  await reached("approval.reminded");
  await harness.clock.advance("10m");
  await reached("approval.escalated");
  expect((await harness.call("lead", `/approvals/${desk.approvalId}`)).status).toBe(200);
  await harness.clock.advance("40m");
  await reached("approval.expired");
  expect(await trail()).toEqual([
    "approval.proposed",
    "approval.announced",
    "approval.reminded",
    "approval.escalated",
    "approval.expired",
  ]);
});

it("a repeated request of an external call starts no second run of its orchestrator", async () => {
  await using desk = await openDesk();
  const { harness, externalCalls, approvalId } = desk;
  const runs = () => harness.functionRuns("countersign-orchestrator");
  await eventually(async () => ((await runs()).length === 1 ? true : undefined), "the orchestrator's run");
  expect(await externalCalls.request(call)).toMatchObject({ status: "pending", approvalId });
  await harness.engine.idle();
  expect(await runs()).toHaveLength(1);
});

it("a decision consumes the wake-up of an external call, even after a repeated request", async () => {
  await using desk = await openDesk();
  const { harness, externalCalls, approvalId } = desk;
  expect(await externalCalls.request(call)).toMatchObject({ status: "pending", approvalId });
  const approval = await harness.approval(approvalId);
  expect((await harness.decide(approval, "approve", "finance")).status).toBe(200);
  await eventually(
    async () => ((await harness.store.wakeUpsStillDue([approval.requestId])).length === 0 ? true : undefined),
    "the wake-up was received",
  );
  expect(await externalCalls.use({ ...call, approvalId })).toMatchObject({ go: true });
});
