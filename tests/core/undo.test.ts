import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bookingRule, finance, openBookingDesk } from "../support/booking-desk.js";
import { freshPostgres } from "../support/databases.js";
import { toolResults } from "../support/desk-tools.js";
import { secret } from "../support/evidence/tampering.js";
import { principals } from "../support/harness.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { takeWarning } from "../support/run/warnings.js";
import { releaseCalls, stopCalls } from "../support/stops.js";
import type { Store } from "../support/store.js";
import { withoutRelay } from "../support/without-relay.js";

const byFinance = { approvers: { roles: ["finance"] } };
const lead = principals.lead ?? finance;
const requester = principals.requester ?? finance;
const stranger = principals.stranger ?? finance;

type BookingDesk = Awaited<ReturnType<typeof openBookingDesk>>;

/** A desk that all tests of a group share. Each of them books carriers of its own. */
function sharedDesk(options: Parameters<typeof openBookingDesk>[1]): () => BookingDesk {
  let opened: { desk: BookingDesk; database: Awaited<ReturnType<typeof freshPostgres>> } | undefined;
  beforeAll(async () => {
    const database = await freshPostgres();
    opened = { database, desk: await openBookingDesk(database, options) };
  });
  afterAll(async () => {
    await opened?.desk[Symbol.asyncDispose]();
    await opened?.database[Symbol.asyncDispose]();
  });
  return () => {
    if (!opened) throw new Error("The desk is not open");
    return opened.desk;
  };
}

/** Lets two proposals of calls of this tool wait for each other before either is written. */
function bothBeforeProposing(toolName: string): (store: Store) => Store {
  const waiting: (() => void)[] = [];
  return (store) =>
    interceptedStore(store, {
      propose: async (carryOut, proposal, ...more) => {
        if (proposal.calls.some((call) => call.toolName === toolName)) {
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
            if (waiting.length === 2) for (const goOn of waiting) goOn();
          });
        }
        return carryOut(proposal, ...more);
      },
    });
}

describe("undo", () => {
  let cancel = () => {};
  const shared = sharedDesk({
    rules: [{ ...bookingRule, requesterMayNotApprove: true }],
    countersign: { signingKey: secret },
    cancel: () => cancel(),
  });
  const fails = () => {
    throw new Error("The carrier does not answer");
  };

  it("takes a call back once, with what it ran with and what it returned, and the next turn is told", async () => {
    const desk = shared();
    const { call, threadId } = await desk.book("A-1");
    expect(call.terms).toMatchObject({ reversible: "10m", undoable: true });
    const undo = await desk.undo(call);
    expect(undo).toMatchObject({ toolName: "book.undo", threadId: call.threadId, requesterId: "requester" });
    const done = await desk.until(undo.id, "executed");
    const number = JSON.parse(call.outcomeJson ?? "{}").data.number;
    expect(desk.cancelled.filter(({ key }) => key === undo.id)).toEqual([
      { input: { order: "A-1" }, outcome: { number }, key: undo.id, of: call.id },
    ]);
    expect(done.decision).toMatchObject({ decidedBy: "finance", reason: "wrong order" });
    expect(await desk.row(call.id)).toMatchObject({
      ...{ status: "executed", undoId: undo.id, undoneAt: expect.any(Date) },
    });
    await expect(desk.undo(call)).rejects.toMatchObject({
      code: "not_undoable",
      message: expect.stringContaining("undone already"),
    });
    expect(desk.cancelled.filter(({ of }) => of === call.id)).toHaveLength(1);

    const { runId } = await desk.say("[]", threadId);
    await desk.ended(runId);
    const results = toolResults({ messages: desk.seen.at(-1) ?? [] });
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).toContain(number);
    expect(JSON.stringify(results)).toContain("This call was undone later");
  });

  it("is in the log of the call and in that of its own", async () => {
    const desk = shared();
    const { call } = await desk.book("A-2");
    const { id } = await desk.undo(call);
    await desk.until(id, "executed");
    const { store } = desk;
    expect((await store.auditTrail("acme", call.id)).slice(-2)).toMatchObject([
      { type: "call.undo_started", data: { undoId: id } },
      { type: "call.undone", actorId: "finance", data: { undoId: id } },
    ]);
    const types = (await store.auditTrail("acme", id)).map(({ type }) => type);
    expect(types).toEqual([
      "approval.proposed",
      "approval.announced",
      "approval.approved",
      "approval.executing",
      "approval.executed",
    ]);
    expect(await store.verifyAudit("acme")).toMatchObject({ ok: true });
  });

  it("happens once, however many people ask at once", async () => {
    const desk = shared();
    const { call } = await desk.book("A-3");
    const undos = await Promise.all(Array.from({ length: 20 }, () => desk.undo(call)));
    expect(new Set(undos.map(({ id }) => id)).size).toBe(1);
    await desk.until(undos[0]?.id ?? "", "executed");
    expect(desk.cancelled.filter(({ key }) => key === undos[0]?.id)).toHaveLength(1);
    const all = await desk.store.listApprovals({ tenantId: "acme", limit: 100 });
    expect(all.filter(({ terms }) => terms.undoes?.approvalId === call.id)).toHaveLength(1);
  });

  it("may be asked for again after it has failed, and not after it was interrupted", async () => {
    const desk = shared();
    cancel = fails;
    const { call } = await desk.book("A-4");
    const first = await desk.undo(call);
    await desk.until(first.id, "failed");
    expect(await desk.row(call.id)).toMatchObject({ undoneAt: null });
    cancel = () => {};
    const second = await desk.undo(call);
    expect(second.id).not.toBe(first.id);
    await desk.until(second.id, "executed");
    expect(desk.cancelled.map(({ key }) => key)).toEqual(expect.arrayContaining([first.id, second.id]));

    const other = await desk.book("A-5");
    cancel = fails;
    const third = await desk.undo(other.call);
    await desk.until(third.id, "failed");
    await desk.admin`update countersign.approvals set status = 'interrupted' where id = ${third.id}`;
    await expect(desk.undo(other.call)).rejects.toMatchObject({
      code: "not_undoable",
      message: expect.stringContaining("may have happened"),
    });
    const found = { approvalId: third.id, principal: finance, note: "asked the carrier" };
    await expect(desk.countersign.resolve({ ...found, outcome: "rerun" })).rejects.toMatchObject({
      code: "no_rerun",
    });
    await desk.countersign.resolve({ ...found, outcome: "failed" });
    cancel = () => {};
    const fourth = await desk.undo(other.call);
    await desk.until(fourth.id, "executed");
  });

  it("is marked by a person who found out that an interrupted one has happened", async () => {
    const desk = shared();
    cancel = fails;
    const { call } = await desk.book("A-6");
    const { id: approvalId } = await desk.undo(call);
    await desk.until(approvalId, "failed");
    cancel = () => {};
    await desk.admin`update countersign.approvals set status = 'interrupted' where id = ${approvalId}`;
    await desk.countersign.resolve({ approvalId, principal: finance, outcome: "done", note: null });
    expect(await desk.row(call.id)).toMatchObject({ undoneAt: expect.any(Date) });
    await expect(desk.undo(call)).rejects.toMatchObject({ code: "not_undoable" });
  });

  it("is for people who may decide the call, with the digest that they were shown", async () => {
    const desk = shared();
    const { call } = await desk.book("A-7");
    await expect(desk.undo(call, stranger)).rejects.toMatchObject({ code: "not_found" });
    await expect(desk.undo(call, lead)).rejects.toMatchObject({ code: "not_found" });
    await expect(desk.undo(call, requester)).rejects.toMatchObject({ code: "forbidden" });
    const own = { ...requester, roles: ["finance"] };
    await expect(desk.undo(call, own)).rejects.toMatchObject({ code: "self_approval" });
    await expect(desk.undo({ ...call, digest: "0".repeat(64) })).rejects.toMatchObject({
      code: "digest_mismatch",
    });
    expect(await desk.row(call.id)).toMatchObject({ undoId: null });
  });

  it("is impossible while an operator has stopped it, and leaves no undo", async () => {
    const desk = shared();
    const { call } = await desk.book("A-8");
    const stop = await stopCalls(desk.store, "book.undo");
    await expect(desk.undo(call)).rejects.toMatchObject({
      code: "stopped",
      message: "An operator has stopped book.undo, so this cannot be undone until they release it",
    });
    expect(await desk.row(call.id)).toMatchObject({ undoId: null });
    await releaseCalls(desk.store, stop);
    expect(await desk.undo(call)).toMatchObject({ status: "approved" });
  });

  it("is impossible before the call has run", async () => {
    const desk = shared();
    await desk.book("A-9", undefined, async (waiting) => {
      await expect(desk.undo(waiting)).rejects.toMatchObject({
        code: "not_undoable",
        message: expect.stringContaining("has not run"),
      });
    });
  });

  it("says until when, by whom, and what has become of it", async () => {
    const desk = shared();
    const { call } = await desk.book("A-10");
    const path = `/approvals/${call.id}`;
    const until = new Date((call.finishedAt?.getTime() ?? 0) + 600_000).toISOString();
    const shown = { within: "10m", until, undoId: null, undoneAt: null };
    expect((await desk.call("finance", path)).body.undo).toEqual({ ...shown, mayUndo: true });
    expect((await desk.call("requester", path)).body.undo).toEqual({ ...shown, mayUndo: false });
    const asked = await desk.call("finance", `${path}/undo`, {
      method: "POST",
      body: { digest: call.digest },
    });
    expect(asked).toMatchObject({
      status: 200,
      body: {
        ...{ toolName: "book.undo", undoes: call.id, undo: null },
        undoRequest: { askedBy: "finance", reason: null },
      },
    });
    await desk.until(asked.body.id, "executed");
    expect((await desk.call("finance", path)).body.undo).toEqual({
      ...{ within: "10m", until: null, mayUndo: false, undoId: asked.body.id, undoneAt: expect.any(String) },
    });
    const again = await desk.call("finance", `${path}/undo`, {
      method: "POST",
      body: { digest: call.digest },
    });
    expect(again).toMatchObject({ status: 409, body: { code: "not_undoable" } });
  });

  it("is possible within the time of the rule, from the end of the call", async () => {
    const desk = shared();
    const { call } = await desk.book("A-11");
    const { call: late } = await desk.book("A-12");
    desk.clock.advance(9 * 60_000);
    expect(await desk.undo(call)).toMatchObject({ status: "approved" });
    desk.clock.advance(2 * 60_000);
    await expect(desk.undo(late)).rejects.toMatchObject({
      code: "not_undoable",
      message: "The time to undo this call is over",
    });
    expect(await desk.row(late.id)).toMatchObject({ undoId: null });
  });

  it("starts at once although the database's clock is hours behind", async () => {
    const now = Date.now;
    const ahead = vi.spyOn(Date, "now").mockImplementation(() => now() + 7_200_000);
    using _ = { [Symbol.dispose]: () => ahead.mockRestore() };
    await using database = await freshPostgres();
    await using desk = await openBookingDesk(database, { served: withoutRelay });
    const { call } = await desk.book("A-1");
    const { id } = await desk.undo(call);
    await desk.until(id, "executed");
  });

  it("that a person asks for twice at the same moment is one, and the log names them, where nobody has to approve", async () => {
    await using database = await freshPostgres();
    await using desk = await openBookingDesk(database, {
      rules: [bookingRule, { tools: "book.undo", verdict: "notify" }],
      between: bothBeforeProposing("book.undo"),
    });
    const { call } = await desk.book("A-1");
    const [one, other] = await Promise.all([desk.undo(call), desk.undo(call)]);
    expect(one.id).toBe(other.id);
    await desk.until(one.id, "executed");
    expect(desk.cancelled).toHaveLength(1);
    expect((await desk.row(one.id)).terms.undoes).toMatchObject({
      askedBy: "finance",
      reason: "wrong order",
    });
    const [first] = await desk.store.auditTrail("acme", one.id);
    expect(first).toMatchObject({ type: "approval.notified", actorId: "finance" });
    const last = (await desk.store.auditTrail("acme", call.id)).at(-1);
    expect(last).toMatchObject({ type: "call.undone", actorId: "finance" });
  });

  it("is impossible if no rule says that the call can be taken back, or one says that it cannot", async () => {
    await using database = await freshPostgres();
    const ofSecond = { ...bookingRule, when: 'input.order == "A-2"' };
    const rules = [{ ...bookingRule, reversible: undefined }, ofSecond, { ...ofSecond, reversible: false }];
    await using desk = await openBookingDesk(database, { rules });
    for (const [order, message] of [
      ["A-1", "No rule"],
      ["A-2", "cannot be taken back"],
    ] as const) {
      const { call } = await desk.book(order);
      await expect(desk.undo(call)).rejects.toMatchObject({
        code: "not_undoable",
        message: expect.stringContaining(message),
      });
    }
  });

  it("is impossible for a tool that is not in undoable, which a warning says", async () => {
    await using database = await freshPostgres();
    const warnings: string[] = [];
    const logger = { info: () => {}, warn: (message: string) => warnings.push(message), error: () => {} };
    await using desk = await openBookingDesk(database, { isNamed: false, countersign: { logger } });
    const { call } = await desk.book("A-1");
    expect(warnings).toEqual([expect.stringContaining('"book" has an undo, but is not in undoable')]);
    await expect(desk.undo(call)).rejects.toMatchObject({
      code: "not_undoable",
      message: expect.stringContaining("no undo"),
    });
  });
});

describe("an undo that waits for others", () => {
  const shared = sharedDesk({
    rules: [
      {
        ...{ ...bookingRule, redact: ["order"], units: { price: "EUR" } },
        ...{ label: "Book", names: { order: "Order" } },
      },
      { tools: "book.undo", verdict: "ask", approvers: { roles: ["lead"] }, label: "Cancel the booking" },
    ],
  });

  it("is decided by others than the person who asks, who can follow it", async () => {
    const desk = shared();
    const { call } = await desk.book("A-1");
    const undo = await desk.undo(call);
    expect(undo).toMatchObject({ status: "pending", votes: [] });
    expect((await desk.undo(call)).id).toBe(undo.id);
    // The person who asked can follow it, and others who may not decide it cannot see it.
    const seen = await Promise.all(
      ["finance", "stranger"].map((person) => desk.call(person, `/approvals/${undo.id}`)),
    );
    expect(seen).toMatchObject([
      { status: 200, body: { mayDecide: false, yourDecisions: [] } },
      { status: 404 },
    ]);
    const cancelled = () => desk.cancelled.filter(({ key }) => key === undo.id);
    expect(cancelled()).toEqual([]);
    expect((await desk.decide(undo, "approve", "lead")).status).toBe(200);
    await desk.until(undo.id, "executed");
    expect(cancelled()).toHaveLength(1);
  });

  it("waits beside that of an equal call", async () => {
    const desk = shared();
    const { call, threadId } = await desk.book("A-1");
    const { call: same } = await desk.book("A-1", threadId);
    const undos = [await desk.undo(call), await desk.undo(same)];
    expect(undos.map(({ status }) => status)).toEqual(["pending", "pending"]);
    for (const undo of undos) expect((await desk.decide(undo, "approve", "lead")).status).toBe(200);
    for (const { id } of undos) await desk.until(id, "executed");
    const keys = undos.map(({ id }) => id);
    const outcomes = desk.cancelled.filter(({ key }) => keys.includes(key)).map(({ outcome }) => outcome);
    const booked = [call, same].map(({ outcomeJson }) => JSON.parse(outcomeJson ?? "{}").data);
    expect(outcomes).toEqual(expect.arrayContaining(booked));
    expect(booked[0]).not.toEqual(booked[1]);
  });

  it("hides from people what the call's own rule hides, and has its units and names, but not its label", async () => {
    const desk = shared();
    const { call } = await desk.book("ORDER-4711");
    const { id } = await desk.undo(call);
    const view = (await desk.call("lead", `/approvals/${id}`)).body;
    expect(JSON.stringify(view)).not.toContain("ORDER-4711");
    expect(view).toMatchObject({
      ...{ toolName: "book.undo", undoes: call.id, redacted: ["order"], units: { price: "EUR" } },
      ...{ label: "Cancel the booking", names: { order: "Order" } },
    });
  });

  it("is shown to the person who asked for it, who cannot decide it", async () => {
    const desk = shared();
    const { call } = await desk.book("A-1");
    const { call: other } = await desk.book("A-2");
    const { id } = await desk.undo(call);
    const somebody = { ...finance, id: "finance-2" };
    const { id: ofSomebody } = await desk.undo(other, somebody);
    const view = (await desk.call("finance", `/approvals/${id}`)).body;
    expect(view).toMatchObject({
      ...{ mayDecide: false, yourDecisions: [] },
      undoRequest: { askedBy: "finance", reason: "wrong order" },
    });
    const listed = (await desk.call("finance", "/approvals?status=pending")).body.items;
    const ids = listed.map((item: { id: string }) => item.id);
    expect(ids).toContain(id);
    expect(ids).not.toContain(ofSomebody);
    expect((await desk.call("finance", `/approvals/${ofSomebody}`)).status).toBe(404);
    expect((await desk.decide(view, "approve", "finance")).status).toBe(403);
  });
});

describe("the policy for the undo of a tool", () => {
  it("counts the person who asks as the first of a quorum, although their first request has died", async () => {
    await using database = await freshPostgres();
    const approvers = { roles: ["finance", "lead"] };
    let dies = false;
    await using desk = await openBookingDesk(database, {
      rules: [bookingRule, { tools: "book.undo", verdict: "ask", approvers, quorum: 2 }],
      between: (store) =>
        interceptedStore(store, {
          announce: async (carryOut, requestId) => {
            if (dies) throw new Error("The process has died");
            return carryOut(requestId);
          },
        }),
    });
    const { call } = await desk.book("A-1");
    dies = true;
    await expect(desk.undo(call)).rejects.toThrow("died");
    dies = false;
    const undo = await desk.undo(call);
    expect(await desk.row(undo.id)).toMatchObject({ status: "pending", votes: [{ principalId: "finance" }] });
    expect((await desk.decide(undo, "approve", "lead")).status).toBe(200);
    await desk.until(undo.id, "executed");

    const { call: other } = await desk.book("A-2");
    const { id } = await desk.undo(other);
    expect(await desk.row(id)).toMatchObject({ status: "pending", votes: [{ principalId: "finance" }] });
  });

  it("counts the votes of all who ask at the same moment", async () => {
    await using database = await freshPostgres();
    const approvers = { roles: ["finance", "lead"] };
    await using desk = await openBookingDesk(database, {
      rules: [
        { ...bookingRule, approvers },
        { tools: "book.undo", verdict: "ask", approvers, quorum: 3 },
      ],
      // Each of them reads the call before anybody has proposed its undo.
      between: bothBeforeProposing("book.undo"),
    });
    const { call } = await desk.book("A-1");
    const [one, other] = await Promise.all([desk.undo(call), desk.undo(call, lead)]);
    expect(one.id).toBe(other.id);
    const { votes } = await desk.row(one.id);
    expect(votes.map(({ principalId }) => principalId).sort()).toEqual(["finance", "lead"]);
  });

  it("leaves the call as it is if it denies the undo, or if people do", async () => {
    await using database = await freshPostgres();
    await using desk = await openBookingDesk(database, {
      rules: [
        bookingRule,
        { tools: "book.undo", verdict: "deny", when: 'input.order == "A-1"', reason: "Shipped" },
        { tools: "book.undo", verdict: "ask", approvers: { roles: ["lead"] } },
      ],
    });
    const { call } = await desk.book("A-1");
    expect(await desk.undo(call)).toMatchObject({ status: "denied", reason: "Shipped" });
    const { call: other } = await desk.book("A-2");
    const undo = await desk.undo(other);
    expect((await desk.decide(undo, "deny", "lead")).status).toBe(200);
    expect(await desk.row(undo.id)).toMatchObject({ status: "denied" });
    const again = await desk.undo(other);
    expect(again.id).not.toBe(undo.id);
    expect(desk.cancelled).toEqual([]);
  });

  it("runs it at once if it allows it, and leaves a row", async () => {
    await using database = await freshPostgres();
    await using desk = await openBookingDesk(database, {
      rules: [
        { tools: "book", verdict: "notify", reversible: true },
        { tools: "book.undo", verdict: "allow" },
      ],
    });
    const { call } = await desk.book("A-1");
    expect(call).toMatchObject({ verdict: "notify", terms: { reversible: true, undoable: true } });
    const undo = await desk.undo(call);
    expect(undo).toMatchObject({ verdict: "notify", status: "approved" });
    await desk.until(undo.id, "executed");
    expect(desk.cancelled).toHaveLength(1);
  });

  it("does not run with an outcome that somebody wrote into the database", async () => {
    takeWarning(/The call of "book\.undo" is no longer the one that was approved/);
    await using database = await freshPostgres();
    await using desk = await openBookingDesk(database, {
      countersign: { signingKey: secret },
      rules: [bookingRule, { tools: "book.undo", verdict: "ask", ...byFinance, quorum: 2 }],
    });
    const { call } = await desk.book("A-1");
    await database.admin`
      update countersign.approvals set outcome_json = '{"status":"executed","data":{"number":"B-999"}}'
      where id = ${call.id}`;
    await expect(desk.undo(call)).rejects.toMatchObject({ code: "digest_changed" });
    await database.admin`
      update countersign.approvals set outcome_json = ${call.outcomeJson} where id = ${call.id}`;
    const { id } = await desk.undo(call);
    await database.admin`
      update countersign.approvals set outcome_json = '{"status":"executed","data":{"number":"B-999"}}'
      where id = ${call.id}`;
    const other = { ...finance, id: "finance-2" };
    const { digest } = await desk.row(id);
    await desk.countersign.decide({
      approvalId: id,
      principal: other,
      type: "approve",
      digest,
      reason: null,
    });
    await desk.until(id, "withdrawn");
    expect(desk.cancelled).toEqual([]);
  });
});
