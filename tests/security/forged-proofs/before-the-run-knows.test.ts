import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { rewritten } from "../../support/evidence/forging.js";
import { openSignedDesk, type SignedDesk } from "../../support/evidence/signed-desk.js";

// Between the commit of a proposal and the end of its step, the run has no digest of the proposal yet. When the step runs
// again, it detects rows that somebody changed in between.

const crashPoint = Symbol.for("countersign:crash-point");

afterEach(() => {
  Reflect.deleteProperty(globalThis, crashPoint);
});

/** Makes the process crash right after it has written a proposal. */
function crashAfterProposal(): () => boolean {
  let done = false;
  Reflect.set(globalThis, crashPoint, (name: string) => {
    if (name !== "after-propose" || done) return;
    done = true;
    throw new Error("The process ended");
  });
  return () => done;
}

let desk: SignedDesk;
beforeAll(async () => {
  desk = await openSignedDesk();
});
afterAll(() => desk[Symbol.asyncDispose]());

/** A call whose row is changed between its proposal and the next attempt of the step that proposed it. */
async function afterCrash(change: (id: string) => unknown) {
  const crashed = crashAfterProposal();
  const { runId } = await desk.say("refund", { to: "A-1", amount: 80 });
  await expect.poll(crashed).toBe(true);
  await desk.harness.engine.idle();
  const [row] = await desk.sql`
    select approvals.id from countersign.approvals join countersign.requests on requests.id = request_id
    where requests.run_id = ${runId}`;
  const id = String(row?.id);
  await change(id);
  await desk.harness.clock.advance("5m");
  return { runId, id };
}

const changes: [string, string][] = [
  ["its approvers", "approver_roles = '{}', proposed_roles = '{}', approver_ids = '{requester}'"],
  ["its redaction and summary", `terms = terms || '{"redact": ["amount"]}', summary = 'Refund 1 EUR'`],
  ["its arguments", `input_json = '{"to":"A-1","amount":9000}'`],
  ["its requester", "requester_id = 'somebody'"],
  ["its policy version", "policy_version = 'another'"],
];

describe("a proposal whose process crashed before its step ended", () => {
  it.each(changes)("is withdrawn when somebody changes %s in its row", async (_what, set) => {
    const { runId, id } = await afterCrash((of) => rewritten(set)(desk, of, ""));
    await desk.harness.ended(runId);
    expect(desk.startsOf(id)).toEqual([]);
    expect(desk.told()).toContain("approval_withdrawn");
    const [row] = await desk.sql`select status from countersign.approvals where id = ${id}`;
    expect(row?.status).toBe("withdrawn");
  });

  it("is withdrawn when it is moved to another tenant", async () => {
    const { runId, id } = await afterCrash((of) => desk.moveToTenant(of, "other"));
    await desk.harness.ended(runId);
    expect(desk.startsOf(id)).toEqual([]);
    expect(desk.told()).toContain("approval_withdrawn");
    await desk.expectRefused(id, "digest_changed");
  });

  it("stays pending, and starts once it is approved, when nothing was changed", async () => {
    const { runId, id } = await afterCrash(() => undefined);
    const [approval] = await desk.harness.pending(1);
    expect(approval?.id).toBe(id);
    await desk.decide(id, "approve");
    await desk.harness.ended(runId);
    expect(desk.startsOf(id)).toHaveLength(1);
  });
});
