import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { postgresStore } from "countersign/postgres";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import type postgres from "postgres";
import { expect, it } from "vitest";
import { emptyPostgres } from "../support/databases.js";

const folder = fileURLToPath(new URL("../../drizzle/countersign", import.meta.url));

/** Brings a database to where it stood with the first migrations only. */
async function migrateTo(count: number, client: postgres.Sql): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), "countersign-migrations-"));
  try {
    cpSync(folder, copy, { recursive: true });
    const journal = join(copy, "meta", "_journal.json");
    const { entries, ...rest } = JSON.parse(readFileSync(journal, "utf8"));
    writeFileSync(journal, JSON.stringify({ ...rest, entries: entries.slice(0, count) }));
    await migrate(drizzle({ client }), { migrationsFolder: copy, migrationsTable: "countersign_migrations" });
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** A policy's terms as they were stored before several people, grants and patterns were part of them. */
const oldTerms = {
  decisions: ["approve", "deny"],
  quorum: 2,
  editable: [],
  redact: [],
  requesterMayNotApprove: false,
  ladder: [],
  idempotent: false,
  codePreview: null,
};

it("an older database with rows of several tenants is brought up to date by an owner without privileges", async () => {
  await using database = await emptyPostgres(4);
  await migrateTo(3, database.postgres);
  const sql = database.postgres;
  for (const tenant of ["acme", "bolt"]) {
    await sql`insert into countersign.requests (id, tenant_id, run_id, wake_up_token, created_at)
      values (${`req ${tenant}`}, ${tenant}, 'run', ${`token ${tenant}`}, now())`;
    await sql`insert into countersign.outbox (request_id, created_at, attempts, next_attempt_at)
      values (${`req ${tenant}`}, now(), 0, now())`;
    await sql`insert into countersign.approvals
      (id, tenant_id, request_id, position, tool_call_id, tool_name, tool_version, input_json, digest, policy_context,
       status, verdict, summary, risk, terms, approver_roles, approver_ids, policy_version, timeout_ms, created_at,
       announced_at, expires_at)
      values (${`apr ${tenant}`}, ${tenant}, ${`req ${tenant}`}, 0, 'call', 'refund', '1', '{}', 'digest',
       ${'{"principal":null,"profile":null,"mcp":null}'}, 'pending', 'ask', 'Refund', 'medium',
       ${JSON.stringify(oldTerms)}, '{}', '{}', '1', 60000, now(), now(), now() + interval '1 hour')`;
    await sql`insert into countersign.votes (approval_id, tenant_id, principal_id, voted_at)
      values (${`apr ${tenant}`}, ${tenant}, 'one', now())`;
  }
  // Later migrations may change rows of all tenants: each of them is let to, also those that do not need it.
  await sql`create table public.let (everything text)`;
  await sql`create function public.note() returns trigger language plpgsql as $$ begin
    insert into public.let values (current_setting('countersign.all_tenants', true)); return new; end $$`;
  await sql`create trigger note before insert on drizzle.countersign_migrations for each row execute function public.note()`;

  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  await store.migrate();

  const { entries } = JSON.parse(readFileSync(join(folder, "meta", "_journal.json"), "utf8"));
  expect((await sql`select everything from public.let`).map(({ everything }) => everything)).toEqual(
    Array(entries.length - 3).fill("on"),
  );
  expect(await sql`select from countersign.approvals`).toHaveLength(0);
  const outbox = await database.admin`select tenant_id, request_id from countersign.outbox order by 1`;
  expect([...outbox]).toEqual([
    { tenant_id: "acme", request_id: "req acme" },
    { tenant_id: "bolt", request_id: "req bolt" },
  ]);
  expect(await store.listApprovals({ tenantId: "acme", limit: 10 })).toMatchObject([
    {
      id: "apr acme",
      terms: { ...oldTerms, distinctRoles: false, denials: 1, grantable: [] },
      votes: [{ principalId: "one", type: "approve", roles: [] }],
    },
  ]);
  const result = await store.decide({
    approvalId: "apr acme",
    principal: { id: "two", tenantId: "acme", roles: [] },
    type: "approve",
    digest: "digest",
    reason: null,
  });
  expect(result).toMatchObject({ outcome: "decided", approval: { status: "approved" } });
  expect(await store.verifyAudit("acme")).toMatchObject({ ok: true, entries: 1 });
  const due = await store.takeDueWakeUps(10);
  expect(due.map(({ token }) => token).sort()).toEqual(["token acme", "token bolt"]);
});
