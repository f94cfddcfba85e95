import { expect, it } from "vitest";
import { openStore, runSql } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";

const ada = { id: "ada", tenantId: "acme", roles: ["finance"] };

it("an undo is started again for an hour while no run has waited for it, also once people have decided", async () => {
  await using database = await freshPostgres();
  const store = await openStore(database);
  const call = async (toolName: string, approvalId: string | undefined) => {
    const undoes =
      approvalId === undefined
        ? null
        : { approvalId, outcomeHash: "hash", askedBy: "ada", reason: null, after: null };
    const [proposed] = await proposeCall(store, {
      toolName,
      terms: { undoes },
      runId: null,
      instanceId: "one",
    });
    if (!proposed) throw new Error("unreachable");
    return proposed;
  };
  const decide = ({ id: approvalId, digest }: { id: string; digest: string }, type: "approve" | "deny") =>
    store.decide({ approvalId, principal: ada, type, digest, reason: null });
  const overdue = (instanceId = "one") => store.overdueUndos({ appId: "harness", instanceId });
  const age = async (seconds: number) => {
    for (const table of ["requests", "approvals"]) {
      const set = `update countersign.${table} set created_at = now() - ${seconds} * interval '1 second'`;
      await runSql(database, set);
    }
  };
  const booking = await call("book", undefined);
  await decide(booking, "approve");
  await store.claim(booking.id, "once", () => undefined);
  await store.finish(booking.id, { status: "executed", outcomeJson: "{}" });
  const denied = await call("book.undo", booking.id);
  await decide(denied, "deny");
  // Another undo takes the place of the denied one.
  const pending = await call("book.undo", booking.id);
  expect(await overdue()).toEqual([]);
  await age(60);
  expect((await overdue()).sort()).toEqual([denied.requestId, pending.requestId].sort());
  expect(await overdue("another")).toEqual([]);
  await store.settle(denied.requestId, 0);
  expect(await overdue()).toEqual([pending.requestId]);
  await decide(pending, "approve");
  await store.settle(pending.requestId, 0);
  expect(await overdue()).toEqual([pending.requestId]);
  expect(await overdue("another")).toEqual([]);
  await age(3_700);
  expect(await overdue()).toEqual([]);
});
