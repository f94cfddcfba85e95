// Keys, and changes of the database by hand, for the tests of signed evidence.
import { openWaitingRefund } from "../waiting-refund.js";

export const secret = "one-secret-that-is-long-enough-for-a-key";
export const otherSecret = "another-secret-that-is-long-enough-too!!";
export const withKey = { countersign: { signingKey: secret } };

export type WaitingRefund = Awaited<ReturnType<typeof openWaitingRefund>>;

/** Changes the database by hand between a decision and the start of the call, and lets the run continue. */
export async function afterApproval(
  change: (world: WaitingRefund) => unknown,
  options: Parameters<typeof openWaitingRefund>[0] = withKey,
) {
  await using world = await openWaitingRefund(options);
  const { harness, runId, approval, effects } = world;
  await harness.engine.stop();
  await harness.decide(approval, "approve");
  await change(world);
  await harness.engine.start();
  await harness.ended(runId);
  const trail = await harness.store.auditTrail("acme", approval.id);
  return {
    effects,
    approval: await harness.approval(approval.id),
    last: trail.at(-1)?.data,
    trail,
    told: JSON.stringify(harness.model.requests[1]?.body),
  };
}

/** The only row of evidence. */
export async function evidenceRow({ database }: WaitingRefund) {
  const [row] = await database.admin`select * from countersign.evidence`;
  if (!row) throw new Error("there is no evidence");
  return row;
}
