import { createTool } from "@inngest/agent-kit";
import { withUndo } from "countersign";
import { type Countersign, createCountersign } from "countersign/agent-kit";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { bookingPolicy, bookingRule, bookingTool, openBookingDesk } from "../support/booking-desk.js";
import { freshPostgres, type TestDatabase } from "../support/databases.js";
import { eventually } from "../support/harness.js";
import { takeWarning } from "../support/run/warnings.js";
import { postgresStore } from "../support/store.js";

const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const rules = [bookingRule, { tools: "book.undo", verdict: "notify" }];

function anotherInstance(
  database: TestDatabase & { kind: "postgres" },
  inngest: Inngest.Any,
  id: string,
  undoable: readonly object[],
): Countersign {
  const store = postgresStore({ client: database.postgres });
  const tools = undoable as { name: string }[];
  return createCountersign({
    ...{ inngest, id, store, logger, tenantId: "acme", policy: bookingPolicy(rules), undoable: tools },
  });
}

describe("two instances on one database", () => {
  it.each([
    ["both have the tool in undoable", true],
    ["only one has the tool in undoable", false],
  ])("and one client run an undo once, in the one that proposed it, if %s", async (_what, both) => {
    await using database = await freshPostgres();
    const ofOther = bookingTool();
    await using desk = await openBookingDesk(database, {
      rules,
      served: (functions, inngest) => [
        ...functions,
        ...anotherInstance(database, inngest, "another", both ? [ofOther.book] : []).functions,
      ],
    });
    for (const order of ["A-1", "A-2", "A-3"]) {
      const { call } = await desk.book(order);
      const undo = await desk.undo(call);
      await desk.until(undo.id, "executed");
      expect(await desk.row(call.id)).toMatchObject({ undoneAt: expect.any(Date) });
    }
    await desk.engine.idle();
    expect(desk.cancelled.map(({ outcome }) => outcome)).toEqual(
      ["B-1", "B-2", "B-3"].map((number) => ({ number })),
    );
    expect(ofOther.cancelled).toEqual([]);
    expect(await desk.functionRuns("another-undo")).toEqual([]);
  });

  it("and clients of their own run an undo once", async () => {
    await using database = await freshPostgres();
    const ofOther = bookingTool();
    await using desk = await openBookingDesk(database, { rules });
    const inngest = new Inngest({
      ...{ id: "another-app", isDev: true, baseUrl: desk.engine.baseUrl, logger },
      fetch: (input, init) => desk.engine.fetch(new Request(input, init)),
    });
    const { functions } = anotherInstance(database, inngest, "countersign", [ofOther.book]);
    await desk.engine.registerApp({ handler: serve({ client: inngest, functions: [...functions] }) });
    const { call } = await desk.book("A-1");
    const undo = await desk.undo(call);
    await desk.until(undo.id, "executed");
    await desk.engine.idle();
    expect([desk.cancelled.length, ofOther.cancelled.length]).toEqual([1, 0]);
    const [{ runs } = { runs: -1 }] = await database.admin`
      select count(*)::int as runs from local_engine.run where function_id = 'another-app-countersign-undo'`;
    expect(runs).toBe(0);
  });
});

describe("a second run of an undo", () => {
  it.each([false, true])(
    "neither ends nor repeats what the first is doing (idempotent: %s)",
    async (idempotent) => {
      await using database = await freshPostgres();
      let answer = () => {};
      const answered = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await using desk = await openBookingDesk(database, { rules, idempotent, cancel: () => answered });
      const { call } = await desk.book("A-1");
      const undo = await desk.undo(call);
      await desk.until(undo.id, "executing");
      // Another process of the app, which knows nothing of what this one is doing.
      desk.redeploy({});
      const data = { requestId: undo.requestId, appId: "harness", instanceId: "countersign" };
      await desk.inngest.send({ name: "countersign/undo.requested", data });
      await eventually(async () => {
        const runs = await desk.functionRuns("countersign-undo");
        return runs.filter(({ status }) => status === "Completed").length === 1 || undefined;
      }, "the second run has ended");
      expect((await desk.row(undo.id)).status).toBe("executing");
      answer();
      await desk.until(undo.id, "executed");
      expect(desk.cancelled).toHaveLength(1);
      expect(await desk.row(call.id)).toMatchObject({ undoneAt: expect.any(Date) });
    },
  );
});

describe("a tool of the same name as one in undoable", () => {
  const foreign = (description?: string) =>
    createTool({
      ...{ name: "book", parameters: z.object({ order: z.string() }) },
      ...(description !== undefined && { description }),
      handler: () => ({ number: "FOREIGN" }),
    });

  it.each([
    ["has no undo", foreign()],
    ["has another description", withUndo(foreign("Books a table"), () => "cancelled")],
  ])("has calls that nobody can undo if it %s", async (_what, tool) => {
    takeWarning(/The tool "book" has an undo, but another tool/);
    await using database = await freshPostgres();
    await using desk = await openBookingDesk(database, { rules, agentTools: [tool] });
    const { call } = await desk.book("A-1");
    expect(call.terms.undoable).toBe(false);
    await expect(desk.undo(call)).rejects.toMatchObject({
      ...{ code: "not_undoable", message: expect.stringContaining("Its tool has no undo") },
    });
  });

  it("does not undo a call that ran before it took the other's place", async () => {
    takeWarning(/The tool "book" in undoable of createCountersign is not the one/);
    await using database = await freshPostgres();
    await using desk = await openBookingDesk(database, { rules });
    const { call } = await desk.book("A-1");
    const ended: unknown[] = [];
    const other = withUndo(foreign("Books a table"), (...call) => ended.push(call));
    desk.redeploy({ undoable: [other] });
    const undo = await desk.undo(call);
    expect((await desk.until(undo.id, "withdrawn")).withdrawalCause).toBe("tool_changed");
    expect([...ended, ...desk.cancelled]).toEqual([]);
  });
});
