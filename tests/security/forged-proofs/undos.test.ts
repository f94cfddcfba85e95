import type { Approval } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bookingRule, finance, openBookingDesk } from "../../support/booking-desk.js";
import { freshPostgres } from "../../support/databases.js";
import { openAttacker } from "../../support/evidence/forged-undo.js";
import { secret } from "../../support/evidence/tampering.js";
import { eventually } from "../../support/harness.js";
import { takeWarning } from "../../support/run/warnings.js";

// The attacker writes with the application's role and has an account, but does not hold the key. Finance may undo bookings
// for ten minutes, and the policy asks nobody about the undo.

async function openWorld(undoRule: object, booking: object = bookingRule) {
  const database = await freshPostgres();
  const desk = await openBookingDesk(database, {
    rules: [booking, { tools: "book.undo", ...undoRule }],
    countersign: { signingKey: secret },
  });
  const attacker = await openAttacker(database, desk);
  return {
    desk,
    attacker,
    /** A call that ran and was undone, and its undo. */
    async undone(order: string) {
      const { call: other } = await desk.book(order);
      const undo = await desk.undo(other);
      await desk.until(undo.id, "executed");
      return { other, model: await desk.row(undo.id) };
    },
    async refusedWith(undo: { id: string }, field: string) {
      expect(await desk.row(undo.id)).toMatchObject({
        ...{ status: "withdrawn", withdrawalCause: "evidence_invalid" },
      });
      const trail = await desk.store.auditTrail("acme", undo.id);
      expect(trail.at(-1)).toMatchObject({ type: "approval.withdrawn", data: { field } });
    },
    async [Symbol.asyncDispose]() {
      await attacker[Symbol.asyncDispose]();
      await desk[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const cancelledOrders = (desk: Awaited<ReturnType<typeof openBookingDesk>>) =>
  desk.cancelled.map(({ input }) => (input as { order: string }).order);

describe.each(["notify", "allow"])("with a key and the verdict %s for undos, SQL alone", (verdict) => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  /** A call that ran and was undone, and its undo. */
  let other: Approval;
  let model: Approval;
  beforeAll(async () => {
    world = await openWorld({ verdict });
    ({ other, model } = await world.undone("A-0"));
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it("starts no undo that nobody has asked for", async () => {
    const { desk, attacker } = world;
    const { call } = await desk.book("A-1");
    const forged = await desk.row(await attacker.forgeUndo(call, model));
    await attacker.start(forged);
    expect(cancelledOrders(desk)).toEqual(["A-0"]);
    await world.refusedWith(forged, "undoToken");
  });

  it("starts none with the signature of another", async () => {
    const { desk, attacker } = world;
    const { call } = await desk.book("A-2");
    const forged = await desk.row(await attacker.forgeUndo(call, model));
    await attacker.sql`
      update countersign.approvals set undo_token = (select undo_token from countersign.approvals where id = ${model.id})
      where id = ${forged.id}`;
    await attacker.start(forged);
    expect(cancelledOrders(desk)).toEqual(["A-0"]);
    await world.refusedWith(forged, "digest");
  });

  it("starts none after its time", async () => {
    const { desk, attacker } = world;
    const { call } = await desk.book("A-3");
    await desk.clock.advance("11m");
    const forged = await desk.row(await attacker.forgeUndo(call, model));
    await attacker.start(forged);
    expect(cancelledOrders(desk)).toEqual(["A-0"]);
    await world.refusedWith(forged, "undoToken");
  });

  it("undoes no call a second time, with its old undo or a new one", async () => {
    takeWarning(/The call of "\S+" is no longer the one that was approved/);
    const { desk, attacker } = world;
    await attacker.sql`update countersign.approvals set undone_at = null where id = ${other.id}`;
    await attacker.sql`
      update countersign.approvals set status = 'approved', started_at = null, started_by = null, finished_at = null,
        outcome_json = null, outcome_token = null where id = ${model.id}`;
    await attacker.start(model);
    const forged = await desk.row(await attacker.forgeUndo(await desk.row(other.id), model));
    await attacker.start(forged);
    expect(cancelledOrders(desk)).toEqual(["A-0"]);
    expect((await desk.row(forged.id)).status).toBe("withdrawn");
  });

  it("has no undo run a second time by resetting the rows of the first", async () => {
    const { desk, attacker } = world;
    const { other: again } = await world.undone("A-4");
    await attacker.sql`
      update countersign.approvals set undone_at = null, undo_id = null where id = ${again.id}`;
    await expect(desk.undo(again)).rejects.toMatchObject({
      code: "not_undoable",
      message: expect.stringContaining("undone already"),
    });
    expect(cancelledOrders(desk)).toEqual(["A-0", "A-4"]);
  });
});

describe("with a key, somebody with SQL and an account", () => {
  const escalation = [{ after: "5m", escalateTo: ["lead"] }];
  let world: Awaited<ReturnType<typeof openWorld>>;
  beforeAll(async () => {
    world = await openWorld({ verdict: "ask", quorum: 2 }, { ...bookingRule, escalation });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const changes: { what: string; set: string; by: Partial<typeof finance> }[] = [
    {
      what: "makes themselves the approver",
      set: `approver_ids = '{eve}', approver_roles = '{}', proposed_roles = '{}'`,
      by: { id: "eve", roles: [] },
    },
    {
      what: "takes part in an assignment that nobody signed",
      set: `terms = terms || '{"delegable": true}', assignee_id = 'eve', assigned_by = 'finance'`,
      by: { id: "eve", roles: [] },
    },
    {
      what: "says that it was escalated to them",
      set: `terms = terms || '{"escalation": [{"afterMs": 1, "escalateTo": ["eve"]}]}', escalation_steps = 1`,
      by: { id: "eve", roles: ["eve"] },
    },
    { what: "extends its time", set: `terms = terms || '{"reversible": true}'`, by: {} },
    { what: "replaces its arguments", set: `input_json = '{"order":"B-2"}'`, by: {} },
    { what: "replaces its outcome", set: `outcome_json = '{"status":"executed","data":1}'`, by: {} },
  ];

  it.each(changes)("cannot undo a call if the attacker $what", async ({ set, by }) => {
    const { desk, attacker } = world;
    const { call } = await desk.book("A-1");
    await desk.clock.advance("11m");
    await attacker.rewrite(call.id, set);
    const changed = await desk.row(call.id);
    await expect(desk.undo(changed, { ...finance, ...by })).rejects.toMatchObject({ code: "digest_changed" });
    expect(desk.cancelled).toEqual([]);
  });

  it("cannot undo it with a step of its escalation that was never taken", async () => {
    const { desk, attacker } = world;
    const { call } = await desk.book("A-1");
    const lead = { ...finance, id: "lead", roles: ["lead"] };
    await attacker.sql`update countersign.approvals set escalation_steps = 1 where id = ${call.id}`;
    await expect(desk.undo(call, lead)).rejects.toMatchObject({ code: "not_found" });
    expect(desk.cancelled).toEqual([]);
  });

  it("cannot have another call undone in its place", async () => {
    const { desk, attacker } = world;
    const { call: one } = await desk.book("A-1");
    const { call: other } = await desk.book("A-2");
    const undo = await desk.undo(other);
    await attacker.sql`update countersign.approvals set undo_id = ${undo.id} where id = ${one.id}`;
    const asked = await desk.undo(one, { ...finance, id: "finance-2" }).catch(() => undo);
    expect(asked.terms.undoes?.approvalId).not.toBe(one.id);
    expect(await desk.row(undo.id)).toMatchObject({ votes: [{ principalId: "finance" }], status: "pending" });
    expect(desk.cancelled).toEqual([]);
  });

  it("has no undo start whose call has the start of another one in its log, which no row knows", async () => {
    const { desk, attacker } = world;
    const { call } = await desk.book("A-1");
    await attacker.log(call.id, "call.undo_started", { undoId: "apr_unknown" });
    const undo = await desk.undo(call);
    const second = { ...finance, id: "finance-2" };
    await desk.countersign.decide({
      ...{ approvalId: undo.id, principal: second, type: "approve", digest: undo.digest, reason: null },
    });
    await desk.until(undo.id, "withdrawn");
    await world.refusedWith(undo, "undoneAt");
    expect(desk.cancelled).toEqual([]);
  });
});

describe("a call with a key whose approvers were escalated", () => {
  it("can be undone by those who were asked then", async () => {
    const escalation = [{ after: "5m", escalateTo: ["lead"] }];
    await using world = await openWorld(
      { verdict: "ask", approvers: { roles: ["lead"] } },
      { ...bookingRule, escalation },
    );
    const { desk } = world;
    const { call } = await desk.book("A-1", undefined, async () => {
      await desk.clock.advance("6m");
      await eventually(async () => {
        const [waiting] = await desk.store.listApprovals({ tenantId: "acme", limit: 1 });
        return waiting?.escalationSteps === 1 || undefined;
      }, "the escalation");
    });
    expect(call.escalationSteps).toBe(1);
    const undo = await desk.undo(call, { ...finance, id: "lead", roles: ["lead"] });
    await desk.until(undo.id, "executed");
    expect(cancelledOrders(desk)).toEqual(["A-1"]);
  });
});
