import { expect, it } from "vitest";
import { openWaitingRefund } from "../support/waiting-refund.js";
import { wakeUpTokenIn } from "../support/wake-up-token.js";

type World = Awaited<ReturnType<typeof openWaitingRefund>>;

/** Sends an event as a holder of the event key can; returns the status of the engine's answer. */
async function send({ harness }: World, event: object, key = "key"): Promise<number> {
  const response = await harness.engine.fetch(`${harness.engine.baseUrl}/e/${key}`, {
    method: "POST",
    body: JSON.stringify(event),
  });
  await harness.engine.idle();
  return response.status;
}

/** Expects that the call still waits, that its log has no new entry, and that no tool has run. */
async function expectUntouched({ harness, approval, runId, effects }: World) {
  expect(await harness.approval(approval.id)).toMatchObject({ status: "pending", decision: null });
  expect((await harness.runStatus(runId)).status).toBe("Running");
  const trail = await harness.store.auditTrail("acme", approval.id);
  expect(trail.map(({ type }) => type)).toEqual(["approval.proposed", "approval.announced"]);
  expect(effects).toEqual([]);
}

it("forged events decide nothing, and a person can still decide", async () => {
  await using world = await openWaitingRefund();
  const { harness, approval, runId } = world;
  const { requestId, id: approvalId } = approval;
  const token = await wakeUpTokenIn(harness.store, requestId);
  const lies = { approved: true, decision: "approve", status: "approved", principalId: "finance" };
  const wakeUp = "countersign/request.wake-up";
  const events = [
    { name: wakeUp, data: { requestId, token: "guess", ...lies } },
    { name: wakeUp, data: { requestId, token: { $ne: "" }, ...lies } },
    { name: wakeUp, data: { requestId: 'x" || true || "', token: '" || true || "', ...lies } },
    { name: wakeUp, data: { requestId, token, ...lies } },
    // The same event again, and twice under one id.
    { name: wakeUp, data: { requestId, token, ...lies } },
    { name: wakeUp, id: "again", data: { requestId, token, ...lies } },
    { name: wakeUp, id: "again", data: { requestId, token, ...lies } },
    { name: "countersign/request.opened", data: { requestId, ...lies } },
    { name: "countersign/request.opened", data: { requestId, deadlineMs: 0, ...lies } },
    { name: "countersign/request.opened", data: { requestId: "req_nothing" } },
    { name: "countersign/request.opened", data: {} },
    { name: "countersign/approval.pending", data: { approvalId, requestId, ...lies } },
    { name: "countersign/approval.resolved", data: { approvalId, requestId, outcome: "rerun", ...lies } },
    { name: "countersign/approval.approved", data: { approvalId, requestId, ...lies } },
    { name: "countersign/approval.decided", data: { approvalId, requestId, ...lies } },
    { name: `app/approval.${approvalId}.response`, data: { ...lies, userId: "finance" } },
    { name: "harness/message", data: { message: "nothing", threadId: "another", ...lies }, user: lies },
  ];
  for (const event of events.slice(0, -1)) expect(await send(world, event)).toBe(200);
  await expectUntouched(world);
  const waiting = async () =>
    (await harness.functionRuns("countersign-orchestrator")).filter(({ status }) => status === "Running");
  await expect.poll(waiting).toHaveLength(1);

  await harness.decide(approval, "deny");
  for (const event of events.slice(0, -1)) await send(world, event);
  await harness.ended(runId);
  expect(await harness.approval(approvalId)).toMatchObject({
    status: "denied",
    decision: { type: "deny", decidedBy: "finance" },
  });
  expect(world.effects).toEqual([]);
});

it("forged engine events, such as a cancelled run, are refused and leave the call pending", async () => {
  await using world = await openWaitingRefund();
  const { runId, approval } = world;
  const data = {
    run_id: runId,
    function_id: "harness-agent",
    requestId: approval.requestId,
    _inngest: { fn_id: "harness-countersign-orchestrator", correlation_id: `${runId}.x` },
  };
  for (const name of [
    "inngest/function.cancelled",
    "inngest/function.failed",
    "inngest/function.finished",
    "inngest/function.invoked",
    "inngest/scheduled.timer",
    "INNGEST/function.cancelled",
  ]) {
    expect(await send(world, { name, data })).toBe(400);
    expect(await send(world, [{ name: "fine" }, { name, data }])).toBe(400);
  }
  await expectUntouched(world);
});

it("forged events about a request change nothing, and its second orchestrator starts no call", async () => {
  await using world = await openWaitingRefund();
  const { harness, approval } = world;
  const own = { requestId: "req_of_mine", token: "mine" };
  expect(await send(world, { name: "countersign/request.wake-up", data: own })).toBe(200);
  const opened = { requestId: approval.requestId, approvals: [approval.id], tenantId: "other" };
  expect(await send(world, { name: "countersign/request.opened", data: opened })).toBe(200);
  await expectUntouched(world);
  // A second orchestrator for the same request ends with the decision like the first, and starts nothing itself.
  await harness.decide(approval, "approve");
  await harness.ended(world.runId);
  await harness.engine.idle();
  expect(world.effects).toHaveLength(1);
  const runs = await harness.functionRuns("countersign-orchestrator");
  expect(runs.map(({ status }) => status)).toEqual(["Completed", "Completed"]);
});
