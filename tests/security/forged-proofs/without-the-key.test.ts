import { expect, it } from "vitest";
import { firstKey, openSignedDesk, withoutKey } from "../../support/evidence/signed-desk.js";

// One replica whose signingKey somebody forgot.

it("a process without a key starts nothing that has a proof, and leaves it to one that has", async () => {
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

it("the run goes on where a retry finds a process that has the key", async () => {
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

it("a process without a key starts no call that was proposed with one, whatever its rows say", async () => {
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
