import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { approvedCall, openPast, signer } from "../support/evidence/past.js";
import { backUp, runRestored } from "../support/postgres/backup.js";

it("approvals without a run that were used after a backup are not used again after its restore", async () => {
  await using database = await freshPostgres();
  const { store } = await openPast(database);
  const external = await approvedCall(store, { runId: null });
  const withRun = await approvedCall(store);
  const restore = await backUp(database.admin);
  const claim = () => store.claim(external.id, "once", () => undefined, signer);
  expect((await claim()).outcome).toBe("claimed");

  await restore();
  for (const outcome of ["Withdrawn: 1 approved calls", "Withdrawn: 0 approved calls"]) {
    expect(await runRestored(database.url)).toContain(outcome);
  }
  expect((await claim()).outcome).toBe("refused");
  expect(await store.getApproval("acme", external.id)).toMatchObject({ withdrawalCause: "restored" });
  expect(await store.getApproval("acme", withRun.id)).toMatchObject({ status: "approved" });
  const notes = (await store.listAudit({ tenantId: "acme" })).filter(
    ({ type }) => type === "database.restored",
  );
  expect(notes).toMatchObject([
    { actorId: "ops", data: { withdrawn: 1 } },
    { actorId: "ops", data: { withdrawn: 0 } },
  ]);
  expect(await store.verifyAudit("acme")).toMatchObject({ ok: true });
  await store.close();
});
