import { CountersignError } from "countersign";
import { describe, expect, it } from "vitest";
import { bookingRule, finance, openBookingDesk } from "../support/booking-desk.js";
import { freshPostgres } from "../support/databases.js";
import { interceptedStore } from "../support/intercepted-store.js";

type Call = Awaited<ReturnType<Awaited<ReturnType<typeof openBookingDesk>>["book"]>>["call"];

const shown = ({ id, digest }: Call) => ({ approvalId: id, digest });
const byFinance = { tools: "book.undo", verdict: "ask", approvers: { roles: ["finance"] } };
const byLead = { tools: "book.undo", verdict: "ask", approvers: { roles: ["lead"] } };

describe("the undo of several calls", () => {
  it("takes back the latest one first, each after the end of the one before", async () => {
    await using database = await freshPostgres();
    const seen: string[] = [];
    let undoAnother: (() => Promise<unknown>) | undefined;
    await using desk = await openBookingDesk(database, {
      cancel: async (order) => {
        seen.push(`${order} begins`);
        // An undo that starts later than all of these has time to end.
        if (order === "A-3") await undoAnother?.();
        seen.push(`${order} ends`);
      },
    });
    const another = (await desk.book("A-0")).call;
    undoAnother = async () => desk.until((await desk.undo(another)).id, "executed");
    const calls: Call[] = [];
    for (const order of ["A-1", "A-2", "A-3"]) calls.push((await desk.book(order)).call);
    const [first, second, third] = calls.map(shown);
    if (!first || !second || !third) throw new Error("unreachable");
    const results = await desk.countersign.undoMany({ principal: finance, calls: [second, first, third] });
    expect(results.map(({ approvalId }) => approvalId)).toEqual(
      [second, first, third].map(({ approvalId }) => approvalId),
    );
    for (const result of results) if (result.ok) await desk.until(result.undo.id, "executed");
    const both = (order: string) => [`${order} begins`, `${order} ends`];
    expect(seen).toEqual(["A-3 begins", ...both("A-0"), "A-3 ends", ...both("A-2"), ...both("A-1")]);
    expect(desk.cancelled.map(({ outcome }) => outcome)).toEqual(
      ["B-4", "B-1", "B-3", "B-2"].map((number) => ({ number })),
    );
  });

  it("names and leaves those that cannot be undone", async () => {
    await using database = await freshPostgres();
    await using desk = await openBookingDesk(database, {
      rules: [
        { ...bookingRule, when: 'input.order != "A-9"' },
        { tools: "book", verdict: "ask", approvers: { roles: ["finance"] }, when: 'input.order == "A-9"' },
      ],
    });
    const { call: final } = await desk.book("A-9");
    const { call: undone } = await desk.book("A-1");
    const { call: other } = await desk.book("A-2");
    const { call } = await desk.book("A-3");
    await desk.until((await desk.undo(undone)).id, "executed");
    const unknown = { approvalId: "apr_unknown", digest: call.digest };
    const wrong = { ...shown(other), digest: "0".repeat(64) };
    const results = await desk.countersign.undoMany({
      ...{ principal: finance, calls: [shown(final), shown(undone), wrong, unknown, shown(call)] },
    });
    expect(results).toMatchObject(
      [
        {
          approvalId: final.id,
          ok: false,
          error: { code: "not_undoable", message: /No rule and no preview/ },
        },
        { approvalId: undone.id, ok: false, error: { code: "not_undoable", message: /undone already/ } },
        { approvalId: other.id, ok: false, error: { code: "digest_mismatch" } },
        { approvalId: "apr_unknown", ok: false, error: { code: "not_found" } },
        { approvalId: call.id, ok: true, undo: { status: "approved" } },
      ].map((expected) => withPatterns(expected)),
    );
    const last = results.at(-1);
    if (last?.ok) await desk.until(last.undo.id, "executed");
    expect(desk.cancelled.map(({ input }) => input)).toEqual([{ order: "A-1" }, { order: "A-3" }]);
  });

  it("keeps the order while people decide, and goes on when they deny", async () => {
    await using database = await freshPostgres();
    await using desk = await openBookingDesk(database, {
      rules: [
        bookingRule,
        { ...byLead, when: 'input.order == "A-2"' },
        { tools: "book.undo", verdict: "ask", when: 'input.order != "A-2"' },
      ],
    });
    const another = (await desk.book("A-0")).call;
    const calls = [];
    for (const order of ["A-1", "A-2", "A-3"]) calls.push((await desk.book(order)).call);
    const results = await desk.countersign.undoMany({ principal: finance, calls: calls.map(shown) });
    const undos = results.map((result) => (result.ok ? result.undo : undefined));
    expect(undos.map((undo) => undo?.status)).toEqual(["approved", "pending", "approved"]);
    const [first, second, third] = undos;
    if (!first || !second || !third) throw new Error("unreachable");
    await desk.until(third.id, "executed");
    // One that starts later has time to end.
    await desk.until((await desk.undo(another)).id, "executed");
    expect(await desk.row(first.id)).toMatchObject({ status: "approved" });
    // Asking again asks for the same undo, which keeps its turn.
    expect((await desk.undo(calls[0] as Call)).id).toBe(first.id);
    const orders = () => desk.cancelled.map(({ input }) => input);
    expect(orders()).toEqual([{ order: "A-3" }, { order: "A-0" }]);
    expect((await desk.decide(second, "deny", "lead")).status).toBe(200);
    await desk.until(first.id, "executed");
    expect(orders()).toEqual([{ order: "A-3" }, { order: "A-0" }, { order: "A-1" }]);
  });

  it("waits for an undo of a later call that somebody has asked for before", async () => {
    await using database = await freshPostgres();
    await using desk = await openBookingDesk(database, {
      rules: [
        bookingRule,
        { ...byLead, when: 'input.order == "A-2"' },
        { ...byFinance, when: 'input.order == "A-1"' },
      ],
    });
    const calls = [];
    for (const order of ["A-1", "A-2"]) calls.push((await desk.book(order)).call);
    const [first, second] = calls;
    if (!first || !second) throw new Error("unreachable");
    const waiting = await desk.undo(second);
    expect(waiting.status).toBe("pending");
    const results = await desk.countersign.undoMany({ principal: finance, calls: calls.map(shown) });
    const [undo, same] = results.map((result) => (result.ok ? result.undo : undefined));
    if (!undo || !same) throw new Error("unreachable");
    expect([same.id, undo.terms.undoes?.after]).toEqual([waiting.id, waiting.id]);
    expect(await desk.row(undo.id)).toMatchObject({ status: "approved" });
    expect((await desk.decide(waiting, "approve", "lead")).status).toBe(200);
    await desk.until(undo.id, "executed");
    expect(desk.cancelled.map(({ input }) => input)).toEqual([{ order: "A-2" }, { order: "A-1" }]);
  });

  it("runs whole although somebody asks for one of them before all are proposed", async () => {
    await using database = await freshPostgres();
    let meanwhile: (() => Promise<unknown>) | undefined;
    await using desk = await openBookingDesk(database, {
      between: (store) =>
        interceptedStore(store, {
          propose: async (carryOut, proposal, ...rest) => {
            const act = proposal.calls[0]?.terms.undoes?.after ? meanwhile : undefined;
            meanwhile = act ? undefined : meanwhile;
            await act?.();
            return carryOut(proposal, ...rest);
          },
        }),
    });
    const calls: Call[] = [];
    for (const order of ["A-1", "A-2", "A-3"]) calls.push((await desk.book(order)).call);
    meanwhile = () => desk.undo(calls[2] as Call);
    const results = await desk.countersign.undoMany({ principal: finance, calls: calls.map(shown) });
    for (const result of results) if (result.ok) await desk.until(result.undo.id, "executed");
    expect(meanwhile).toBeUndefined();
    expect(desk.cancelled.map(({ input }) => input)).toEqual(
      ["A-3", "A-2", "A-1"].map((order) => ({ order })),
    );
  });

  it("says what was asked for before the database failed, and goes on with it", async () => {
    await using database = await freshPostgres();
    let proposals = 0;
    await using desk = await openBookingDesk(database, {
      between: (store) =>
        interceptedStore(store, {
          propose: (carryOut, proposal, ...rest) => {
            if (proposal.calls[0]?.terms.undoes && ++proposals === 2) {
              throw new CountersignError("database_failed", "The connection was lost");
            }
            return carryOut(proposal, ...rest);
          },
        }),
    });
    const calls = [];
    for (const order of ["A-1", "A-2", "A-3"]) calls.push((await desk.book(order)).call);
    const results = await desk.countersign.undoMany({ principal: finance, calls: calls.map(shown) });
    expect(results).toMatchObject([
      { ok: true },
      { ok: false, error: { code: "database_failed" } },
      { ok: true },
    ]);
    for (const result of results) if (result.ok) await desk.until(result.undo.id, "executed");
    expect(desk.cancelled.map(({ input }) => input)).toEqual([{ order: "A-3" }, { order: "A-1" }]);
  });

  it("is for 50 calls at most, over the API for each once", async () => {
    await using database = await freshPostgres();
    await using desk = await openBookingDesk(database);
    const { call } = await desk.book("A-1");
    const many = Array.from({ length: 51 }, () => shown(call));
    await expect(desk.countersign.undoMany({ principal: finance, calls: many })).rejects.toMatchObject({
      code: "invalid_request",
      message: "calls: has 51 calls; the most is 50",
    });
    const item = { id: call.id, digest: call.digest };
    const ask = (items: object[]) => desk.call("finance", "/undos", { method: "POST", body: { items } });
    expect(await ask([item, item])).toMatchObject({ status: 400 });
    const asked = await ask([item, { ...item, id: "apr_unknown" }]);
    expect(asked).toMatchObject({
      status: 200,
      body: {
        results: [
          { id: call.id, ok: true, approval: { toolName: "book.undo", undoes: call.id } },
          { id: "apr_unknown", ok: false, problem: { code: "not_found", status: 404 } },
        ],
      },
    });
    await desk.until(asked.body.results[0].approval.id, "executed");
  });
});

/** Lets texts match patterns. */
function withPatterns({ error, ...expected }: { error?: { code: string; message?: RegExp } }) {
  if (!error) return expected;
  const { code, message } = error;
  return { ...expected, error: { code, ...(message && { message: expect.stringMatching(message) }) } };
}
