import { beforeAll, expect, it, vi } from "vitest";
import { isWithdrawn, openLosingDesk, refunds, watched } from "../support/losing-desk.js";
import { storeVerbs } from "../support/store.js";

beforeAll(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});

it("the call of a lost run is withdrawn, readiness is degraded, and new messages get runs", async () => {
  await using desk = await openLosingDesk();
  const { threadId } = await desk.say("refund 80");
  const call = await desk.onlyPending();
  await watched(desk);
  expect(await desk.readiness()).toEqual({ status: "ready" });

  await desk.forget();
  await isWithdrawn(desk, call);
  expect(await desk.approval(call.id)).toMatchObject({ withdrawalCause: "run_lost" });
  expect(await desk.decide(call, "approve")).toMatchObject({ status: 409 });
  expect(await storeVerbs(desk.countersign.store).getThread("acme", threadId)).toMatchObject({
    status: "failed",
  });
  expect(await desk.readiness()).toEqual({ status: "degraded", problems: ["runs_lost"] });
  const trail = await storeVerbs(desk.countersign.store).auditTrail("acme", call.id);
  expect(trail.at(-2)).toMatchObject({ type: "approval.withdrawn", data: { cause: "run_lost" } });
  expect(trail.at(-1)).toMatchObject({ type: "decision.refused" });

  const { runId } = await desk.say("refund 5");
  const next = await desk.nextPending(call);
  await desk.decide(next, "approve");
  await desk.ended(runId);
  expect(refunds).toEqual([5]);
});
