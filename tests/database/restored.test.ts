import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { approvedCall, openPast, signer } from "../support/evidence/past.js";

const main = fileURLToPath(new URL("../../packages/countersign/dist/cli/main.js", import.meta.url));
const restored = (url: string) =>
  promisify(execFile)(process.execPath, [main, "restored", "--database-url", url, "--by", "ops"]);

const tables = ["requests", "approvals", "evidence", "audit_entries", "audit_heads"];

it("approvals without a run that were used after a backup are not used again after its restore", async () => {
  await using database = await freshPostgres();
  const { store } = await openPast(database);
  const { admin } = database;
  const external = await approvedCall(store, { runId: null });
  const withRun = await approvedCall(store);
  for (const table of tables)
    await admin.unsafe(`create table public.${table} as select * from countersign.${table}`);
  const claim = () => store.claim(external.id, "once", () => undefined, signer);
  expect((await claim()).outcome).toBe("claimed");

  await admin.begin(async (tx) => {
    for (const table of tables) await tx.unsafe(`alter table countersign.${table} disable trigger all`);
    for (const table of tables) await tx.unsafe(`delete from countersign.${table}`);
    for (const table of tables)
      await tx.unsafe(`insert into countersign.${table} select * from public.${table}`);
    for (const table of tables) await tx.unsafe(`alter table countersign.${table} enable trigger all`);
  });
  for (const outcome of ["Withdrawn: 1 approved calls", "Withdrawn: 0 approved calls"]) {
    expect((await restored(database.url)).stdout).toContain(outcome);
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
