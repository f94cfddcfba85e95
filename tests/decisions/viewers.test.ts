import { expect, it } from "vitest";
import { eventually } from "../support/harness.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

async function open() {
  const world = await openWaitingRefund();
  const { harness, approval } = world;
  const setViewing = (token: string, active: unknown = true) =>
    harness.call(token, `/approvals/${approval.id}/viewing`, { method: "POST", body: { active } });
  const viewers = async () =>
    (await harness.approval(approval.id)).viewers.map(({ principalId }) => principalId);
  return { ...world, setViewing, viewers };
}

it("an approval lists its viewers, alone and in the inbox list, and its audit log omits them", async () => {
  await using world = await open();
  const { harness, approval, setViewing, viewers } = world;
  expect(await setViewing("lead")).toMatchObject({
    status: 200,
    body: { viewers: [{ principalId: "lead" }] },
  });
  await setViewing("finance");
  expect(await viewers()).toEqual(["finance", "lead"]);
  expect((await harness.onlyPending()).viewers).toMatchObject([
    { principalId: "finance", displayName: null },
    { principalId: "lead", displayName: null },
  ]);
  await setViewing("finance", false);
  expect(await viewers()).toEqual(["lead"]);
  const trail = await harness.store.auditTrail("acme", approval.id);
  expect(trail.map(({ type }) => type)).toEqual(["approval.proposed", "approval.announced"]);
});

it("a viewer expires after a minute without a heartbeat", async () => {
  await using world = await open();
  const { harness, setViewing, viewers } = world;
  await setViewing("finance");
  await setViewing("lead");
  await harness.clock.advance("40s");
  await setViewing("lead");
  await harness.clock.advance("30s");
  expect(await viewers()).toEqual(["lead"]);
  await harness.clock.advance("31s");
  expect(await viewers()).toEqual([]);
});

it("only those who may decide become viewers, and only while the approval is pending", async () => {
  await using world = await open();
  const { harness, approval, setViewing, viewers } = world;
  expect(await setViewing("requester")).toMatchObject({ status: 403, body: { code: "forbidden" } });
  expect((await setViewing("stranger")).status).toBe(404);
  expect(await setViewing("finance", "yes")).toMatchObject({
    status: 400,
    body: { errors: [{ field: "active" }] },
  });
  await setViewing("lead");
  await harness.decide(approval, "deny");
  expect(await setViewing("lead")).toMatchObject({ status: 200, body: { status: "denied" } });
  expect(await setViewing("finance")).toMatchObject({ status: 200, body: { status: "denied", viewers: [] } });
  expect((await setViewing("lead", false)).status).toBe(200);
  await eventually(async () => (await viewers()).length === 0 || undefined, "the viewers are gone");
});
