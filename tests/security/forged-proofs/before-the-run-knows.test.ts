import { afterEach, describe, expect, it } from "vitest";
import { callsOf } from "../../support/calls-from-message.js";
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

async function afterCrash(change: (desk: SignedDesk) => Promise<unknown>) {
  const desk = await openSignedDesk();
  const crashed = crashAfterProposal();
  const { runId } = await desk.harness.say(callsOf({ name: "refund", input: { to: "A-1", amount: 80 } }));
  await expect.poll(crashed).toBe(true);
  await desk.harness.engine.idle();
  const [row] = await desk.sql`select id from countersign.approvals`;
  const id = String(row?.id);
  await change(desk);
  await desk.harness.clock.advance("5m");
  return { desk, runId, id };
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
    const { desk, runId, id } = await afterCrash(async (world) => {
      await world.sql.unsafe(`update countersign.approvals set ${set}`);
      const [row] = await world.sql`select id from countersign.approvals`;
      await world.redigest(String(row?.id));
    });
    await using _ = desk;
    await desk.harness.ended(runId);
    expect(desk.startsOf(id)).toEqual([]);
    expect(desk.told()).toContain("approval_withdrawn");
    const [row] = await desk.sql`select status from countersign.approvals where id = ${id}`;
    expect(row?.status).toBe("withdrawn");
  });

  it("is withdrawn when it is moved to another tenant", async () => {
    const { desk, runId, id } = await afterCrash(async (world) => {
      const [row] = await world.sql`select id from countersign.approvals`;
      await world.moveToTenant(String(row?.id), "other");
    });
    await using _ = desk;
    await desk.harness.ended(runId);
    expect(desk.startsOf(id)).toEqual([]);
    expect(desk.told()).toContain("approval_withdrawn");
    await desk.expectRefused(id, "digest_changed");
  });

  it("stays pending, and starts once it is approved, when nothing was changed", async () => {
    const { desk, runId, id } = await afterCrash(async () => undefined);
    await using _ = desk;
    const [approval] = await desk.harness.pending(1);
    expect(approval?.id).toBe(id);
    await desk.decide(id, "approve");
    await desk.harness.ended(runId);
    expect(desk.startsOf(id)).toHaveLength(1);
  });
});
