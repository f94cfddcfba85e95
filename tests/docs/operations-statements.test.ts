import { readFileSync } from "node:fs";
import postgres from "postgres";
import { expect, it } from "vitest";
import { approveWithGrant, exactGrant, openGrantDesk, refundCall } from "../support/agents/grant-desk.js";
import type { TestDatabase } from "../support/databases.js";
import { withKey } from "../support/evidence/tampering.js";

const guide = ["operations", "database", "retention"].map((page) =>
  readFileSync(new URL(`../../docs/operating/${page}.md`, import.meta.url), "utf8"),
);
const statements = [...guide.join("\n").matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, sql = ""]) => sql);
const deletion = statements.find((sql) => sql.includes("delete from countersign.requests")) ?? "";

/** Counts, as a superuser, a request's rows, and all rows of `evidence`, `grants` and `audit_entries`. */
async function rowsAbout(admin: postgres.Sql, requestId: string) {
  const [counts] = await admin`
    with mine as (select id from countersign.approvals where request_id = ${requestId})
    select
      (select count(*)::int from countersign.requests where id = ${requestId}) as requests,
      (select count(*)::int from mine) as approvals,
      (select count(*)::int from countersign.viewers where approval_id in (select id from mine)) as viewers,
      (select count(*)::int from countersign.snoozes where approval_id in (select id from mine)) as snoozes,
      (select count(*)::int from countersign.refusals where approval_id in (select id from mine)) as refusals,
      (select count(*)::int from countersign.evidence) as evidence,
      (select count(*)::int from countersign.grants) as grants,
      (select count(*)::int from countersign.audit_entries) as audit`;
  return counts;
}

it("the guide's deletion statements remove a settled request and its rows, but no pending request", async () => {
  await using desk = await openGrantDesk({ countersign: withKey.countersign });
  const { harness } = desk;
  const database = onPostgres(desk.database);
  const { runId } = await harness.say(refundCall(80));
  const approval = await harness.onlyPending();
  const viewing = { method: "POST", body: { active: true } };
  expect((await harness.call("finance", `/approvals/${approval.id}/viewing`, viewing)).status).toBe(200);
  const snoozing = { method: "POST", body: { until: new Date(harness.clock.now() + 60_000).toISOString() } };
  expect((await harness.call("finance", `/approvals/${approval.id}/snooze`, snoozing)).status).toBe(200);
  const other = { ...approval, digest: "0".repeat(64) };
  expect((await harness.decide(other, "approve")).status).toBe(409);
  expect((await approveWithGrant(harness, approval, exactGrant)).status).toBe(200);
  await harness.ended(runId);
  const next = await harness.say(refundCall(90));
  const waiting = await harness.onlyPending();

  const operator = postgres(database.url, { max: 1, onnotice: () => {} });
  const remove = (id: string) => operator.unsafe(deletion.replaceAll("req_…", id));
  const before = await rowsAbout(database.admin, approval.requestId);
  expect(before).toMatchObject({
    requests: 1,
    approvals: 1,
    viewers: 1,
    snoozes: 1,
    refusals: 1,
    evidence: 1,
    grants: 1,
  });
  await remove(waiting.requestId);
  expect(await harness.approval(waiting.id)).toMatchObject({ status: "pending" });
  await remove(approval.requestId);
  await operator.end();
  expect(await rowsAbout(database.admin, approval.requestId)).toEqual({
    ...{ requests: 0, approvals: 0, viewers: 0, snoozes: 0, refusals: 0, evidence: 0, grants: 0 },
    audit: before?.audit,
  });
  expect(await harness.store.verifyAudit("acme")).toMatchObject({ ok: true, deleted: 1 });
  await harness.decide(waiting, "deny");
  await harness.ended(next.runId);
});

it("the guide's other statements can be run as the role that the application uses", async () => {
  await using desk = await openGrantDesk();
  const database = onPostgres(desk.database);
  const operator = postgres(database.url, { max: 1, onnotice: () => {} });
  // tests/security/least-privilege.test.ts runs the statements that create roles.
  const others = statements.filter(
    (sql) => sql !== deletion && !/create role|countersign_(app|retention)/.test(sql),
  );
  expect(others.length).toBeGreaterThan(1);
  for (const sql of others) await operator.unsafe(sql);
  const rowSecurity = others.find((sql) => sql.includes("row_security_active")) ?? "";
  expect(await operator.unsafe(rowSecurity)).toMatchObject([{ bound: true }]);
  await operator.end();
});

function onPostgres(database: TestDatabase) {
  if (database.kind !== "postgres") throw new Error("unreachable");
  return database;
}
