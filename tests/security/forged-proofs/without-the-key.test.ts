import { expect, it } from "vitest";
import { firstKey, openSignedDesk, withoutKey } from "../../support/evidence/signed-desk.js";

// One replica runs without its signingKey, because somebody forgot it.

it("a process without a signing key starts no call that was signed, and leaves it approved", async () => {
  await using desk = await openSignedDesk();
  const { runId, approval } = await desk.propose("refund", { to: "A-1", amount: 80 });
  await desk.harness.engine.stop();
  await desk.decide(approval.id, "approve");
  desk.harness.redeploy(withoutKey);
  const claim = desk.harness.store.claim(approval.id, "once", () => undefined);
  await expect(claim).rejects.toMatchObject({
    code: "signing_key_missing",
    message: expect.stringContaining("signingKey"),
  });
  await desk.sql`delete from countersign.evidence`;
  await expect(desk.harness.store.claim(approval.id, "once", () => undefined)).rejects.toMatchObject({
    code: "signing_key_missing",
  });
  expect((await desk.shownTo("finance", approval.id)).status).toBe("approved");
  expect(desk.startsOf(approval.id)).toEqual([]);
  expect(runId).toBeTruthy();
});

it("the run continues when a retry reaches a process with the signing key", async () => {
  await using desk = await openSignedDesk();
  const { runId, approval } = await desk.propose("refund", { to: "A-1", amount: 80 });
  await desk.harness.engine.stop();
  await desk.decide(approval.id, "approve");
  desk.harness.redeploy(withoutKey);
  await desk.harness.engine.start();
  await desk.harness.engine.idle();
  expect(desk.startsOf(approval.id)).toEqual([]);
  expect((await desk.shownTo("finance", approval.id)).status).toBe("approved");
  desk.harness.redeploy({ signingKey: firstKey });
  await desk.harness.clock.advance("5m");
  await desk.harness.ended(runId);
  expect(desk.startsOf(approval.id)).toHaveLength(1);
});

it("a process without a signing key does not start a signed proposal whose approval was forged", async () => {
  await using desk = await openSignedDesk();
  const { runId, approval } = await desk.propose("refund", { to: "A-1", amount: 80 });
  await desk.harness.engine.stop();
  await desk.sql`
    update countersign.approvals set status = 'approved', decision_type = 'approve', decided_by = 'finance',
      decided_roles = '{finance}', decided_at = now() where id = ${approval.id}`;
  desk.harness.redeploy(withoutKey);
  await desk.goOn(runId);
  expect(desk.startsOf(approval.id)).toEqual([]);
  expect(desk.told()).toContain("signingKey");
});
