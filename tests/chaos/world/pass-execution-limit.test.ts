import { expect, it } from "vitest";
import { freshPostgres } from "../../support/databases.js";
import { proposeCall } from "../../support/proposals.js";
import { postgresStore } from "../../support/store.js";
import { passExecutionLimit } from "./pass-execution-limit.js";

it("passExecutionLimit() makes the sweep interrupt a running handler and no other call", async () => {
  await using database = await freshPostgres();
  const store = postgresStore({ client: database.postgres });
  const calls = await proposeCall(store, { verdict: "notify", calls: 2, announce: false });
  const [running, waiting] = calls.map(({ id }) => id);
  await store.claim(running ?? "", "once", () => undefined);
  const statuses = async () =>
    (await store.approvalsOf(calls[0]?.requestId ?? "")).map(({ status }) => status);
  await store.sweep();
  expect(await statuses()).toEqual(["executing", "approved"]);
  await passExecutionLimit(database.admin);
  await store.sweep();
  expect(await statuses()).toEqual(["interrupted", "approved"]);
  expect((await store.getApproval("acme", waiting ?? ""))?.status).toBe("approved");
});
