import type { Approval } from "countersign";
import { expect, it } from "vitest";
import { freshPostgres } from "../../support/databases.js";
import { proposeCall } from "../../support/proposals.js";
import { postgresStore } from "../../support/store.js";
import { passLimits } from "./pass-limits.js";

it("passLimits() makes the sweep end running handlers and unannounced calls, and no other call", async () => {
  await using database = await freshPostgres();
  const store = postgresStore({ client: database.postgres });
  const calls = await proposeCall(store, { verdict: "notify", calls: 2, announce: false });
  const [running, waiting] = calls.map(({ id }) => id);
  const [unannounced] = await proposeCall(store, { announce: false });
  const [pending] = await proposeCall(store);
  const statusOf = async (call?: Approval) => (await store.getApproval("acme", call?.id ?? ""))?.status;
  await store.claim(running ?? "", "once", () => undefined);
  const statuses = async () =>
    (await store.approvalsOf(calls[0]?.requestId ?? "")).map(({ status }) => status);
  await store.sweep();
  expect(await statuses()).toEqual(["executing", "approved"]);
  await passLimits(database.admin);
  await store.sweep();
  expect(await statuses()).toEqual(["interrupted", "approved"]);
  expect((await store.getApproval("acme", waiting ?? ""))?.status).toBe("approved");
  expect([await statusOf(unannounced), await statusOf(pending)]).toEqual(["withdrawn", "pending"]);
});
