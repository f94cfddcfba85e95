import { expect, it } from "vitest";
import { eventually } from "../support/harness.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

async function open() {
  const world = await openWaitingRefund();
  const { harness, approval } = world;
  const look = (token: string, active: unknown = true) =>
    harness.call(token, `/approvals/${approval.id}/viewing`, { method: "POST", body: { active } });
  const viewers = async () =>
    (await harness.approval(approval.id)).viewers.map(({ principalId }) => principalId);
  return { ...world, look, viewers };
}

it("shows everybody who else has a call open, in the list and alone, without a word in the log", async () => {
  await using world = await open();
  const { harness, approval, look, viewers } = world;
  expect(await look("lead")).toMatchObject({ status: 200, body: { viewers: [{ principalId: "lead" }] } });
  await look("finance");
  expect(await viewers()).toEqual(["finance", "lead"]);
  expect((await harness.onlyPending()).viewers).toMatchObject([
    { principalId: "finance", displayName: null },
    { principalId: "lead", displayName: null },
  ]);
  await look("finance", false);
  expect(await viewers()).toEqual(["lead"]);
  const trail = await harness.store.auditTrail("acme", approval.id);
  expect(trail.map(({ type }) => type)).toEqual(["approval.proposed", "approval.announced"]);
});

it("forgets who does not say so again within a minute", async () => {
  await using world = await open();
  const { harness, look, viewers } = world;
  await look("finance");
  await look("lead");
  await harness.clock.advance("40s");
  await look("lead");
  await harness.clock.advance("30s");
  expect(await viewers()).toEqual(["lead"]);
  await harness.clock.advance("31s");
  expect(await viewers()).toEqual([]);
});

it("is for who may decide, while there is something to decide", async () => {
  await using world = await open();
  const { harness, approval, look, viewers } = world;
  expect(await look("requester")).toMatchObject({ status: 403, body: { code: "forbidden" } });
  expect((await look("stranger")).status).toBe(404);
  expect(await look("finance", "yes")).toMatchObject({
    status: 400,
    body: { errors: [{ field: "active" }] },
  });
  await look("lead");
  await harness.decide(approval, "deny");
  expect(await look("lead")).toMatchObject({ status: 200, body: { status: "denied" } });
  expect(await look("finance")).toMatchObject({ status: 200, body: { status: "denied", viewers: [] } });
  expect((await look("lead", false)).status).toBe(200);
  await eventually(async () => (await viewers()).length === 0 || undefined, "nobody looks");
});
