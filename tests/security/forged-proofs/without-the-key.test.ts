import { createEvidenceSigner } from "countersign/evidence";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { freshPostgres } from "../../support/databases.js";
import { firstKey, openSignedDesk, type SignedDesk, withoutKey } from "../../support/evidence/signed-desk.js";
import { proposeCall } from "../../support/proposals.js";
import { postgresStore } from "../../support/store.js";

// One replica runs without its signingKey, because somebody forgot it.

let desk: SignedDesk;
beforeAll(async () => {
  desk = await openSignedDesk();
});
afterAll(() => desk[Symbol.asyncDispose]());
beforeEach(async () => {
  desk.harness.redeploy({ signingKey: firstKey });
  await desk.harness.engine.start();
});

it("a process without a signing key starts no call that was signed, and leaves it approved", async () => {
  const { approval } = await desk.propose("refund", { to: "A-1", amount: 80 });
  await desk.harness.engine.stop();
  await desk.decide(approval.id, "approve");
  desk.harness.redeploy(withoutKey);
  const claim = desk.harness.store.claim(approval.id, "once", () => undefined);
  await expect(claim).rejects.toMatchObject({
    code: "signing_key_missing",
    message: expect.stringContaining("signingKey"),
  });
  await desk.sql`delete from countersign.evidence where approval_id = ${approval.id}`;
  await expect(desk.harness.store.claim(approval.id, "once", () => undefined)).rejects.toMatchObject({
    code: "signing_key_missing",
  });
  expect((await desk.shownTo("finance", approval.id)).status).toBe("approved");
  expect(desk.startsOf(approval.id)).toEqual([]);
});

it("the run continues when a retry reaches a process with the signing key", async () => {
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
  const { runId, approval } = await desk.propose("refund", { to: "A-3", amount: 80 });
  await desk.harness.engine.stop();
  await desk.sql`
    update countersign.approvals set status = 'approved', decision_type = 'approve', decided_by = 'finance',
      decided_roles = '{finance}', decided_at = now() where id = ${approval.id}`;
  desk.harness.redeploy(withoutKey);
  await desk.wake(runId);
  await desk.harness.engine.idle();
  await desk.harness.clock.advance("5m");
  await desk.harness.ended(runId);
  expect(desk.startsOf(approval.id)).toEqual([]);
  expect(desk.told()).toContain("signingKey");
});

it("a process without a signing key starts no undo that was signed, whatever became of the signature", async () => {
  await using database = await freshPostgres();
  const store = postgresStore({ client: database.postgres });
  const signer = createEvidenceSigner(firstKey);
  const asApproved = () => undefined;
  const [call] = await proposeCall(store, { verdict: "notify", announce: false });
  await store.claim(call?.id ?? "", "once", asApproved);
  await store.finish(call?.id ?? "", { status: "executed", outcomeJson: "{}" });
  const undoes = {
    approvalId: call?.id ?? "",
    outcomeHash: "",
    askedBy: "finance",
    reason: null,
    after: null,
  };
  const [undo] = await proposeCall(store, {
    ...{ verdict: "notify", toolName: "refund.undo", announce: false, signer },
    terms: { undoes },
  });
  await database.admin`update countersign.approvals set undo_token = null where id = ${undo?.id ?? ""}`;
  await expect(store.claim(undo?.id ?? "", "once", asApproved)).rejects.toMatchObject({
    code: "signing_key_missing",
  });
  expect((await store.getApproval("acme", undo?.id ?? ""))?.status).toBe("approved");
});
