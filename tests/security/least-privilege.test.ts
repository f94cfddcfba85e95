import { fileURLToPath } from "node:url";
import { forget, prune } from "@countersign/cli/operating";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approveWithGrant, exactGrant, grantableTerms, refundCall } from "../support/agents/grant-desk.js";
import { callsFromMessage } from "../support/calls-from-message.js";
import { countersign } from "../support/command-line.js";
import { emptyPostgres, freshPostgres } from "../support/databases.js";
import { deskTools } from "../support/desk-tools.js";
import { executedCall, openPast } from "../support/evidence/past.js";
import { secret } from "../support/evidence/tampering.js";
import { eventually, type Harness, openHarness, principals } from "../support/harness.js";
import { policyOf } from "../support/policy-of.js";
import {
  createRole,
  retentionRole,
  documentedRights as rights,
} from "../support/postgres/documented-roles.js";
import { migrateTo, migrationCount } from "../support/postgres/older-schema.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

describe("a database role with only the rights of the guide", () => {
  let database: Awaited<ReturnType<typeof freshPostgres>>;
  let role: Awaited<ReturnType<typeof createRole>>;
  let store: Store;
  let harness: Harness;
  let sql: postgres.Sql;
  const { tools, effects } = deskTools();

  beforeAll(async () => {
    database = await freshPostgres();
    role = await createRole(database);
    await role.giveRights();
    await role.giveRights();
    store = postgresStore({ url: role.url });
    await store.migrate();
    sql = postgres(role.url, { max: 1, onnotice: () => {} });
    harness = await openHarness({
      database,
      tools,
      reply: callsFromMessage,
      between: () => store,
      policy: policyOf([
        {
          ...{ tools: "refund", verdict: "ask", when: 'spent("refund", "amount", "24h") > 0' },
          ...grantableTerms,
          delegable: true,
          editable: ["amount"],
          decisions: ["approve", "edit", "deny"],
        },
        { tools: "email", verdict: "ask", approvers: { roles: ["finance", "lead"] }, quorum: 2 },
      ]),
      countersign: { signingKey: secret },
    });
  });
  afterAll(async () => {
    await sql.end();
    await harness[Symbol.asyncDispose]();
    await store.close();
    await role[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const post = (token: string, path: string, body: unknown) =>
    harness.call(token, path, { method: "POST", body });

  it("is bound by row-level security and owns nothing", async () => {
    expect([...(await sql`select row_security_active('countersign.approvals') as bound`)]).toEqual([
      { bound: true },
    ]);
    const [owned] = await database.admin`
      select count(*)::int as owned from pg_class where relowner = ${new URL(role.url).username}::regrole`;
    expect(owned).toEqual({ owned: 0 });
  });

  it("serves a call from its proposal to its end", async () => {
    const { runId, threadId } = await harness.say(refundCall(80));
    const approval = await harness.onlyPending();
    const path = `/approvals/${approval.id}`;
    for (const [token, at, body, status] of [
      ["finance", `${path}/viewing`, { active: true }, 200],
      ["finance", `${path}/viewing`, { active: false }, 200],
      ["finance", `${path}/extend`, { by: "5m" }, 200],
      ["finance", `${path}/assign`, { to: "lead" }, 200],
      ["requester", `${path}/decision`, { type: "approve", digest: approval.digest }, 403],
      ["finance", `${path}/check`, { input: { id: "A-1", amount: 70 } }, 200],
    ] as const) {
      expect([at, (await post(token, at, body)).status]).toEqual([at, status]);
    }
    const edit = { type: "edit", digest: approval.digest, input: { id: "A-1", amount: 70 } };
    const request = { method: "POST", body: JSON.stringify(edit) };
    expect((await harness.request("finance", `${path}/decision`, request)).status).toBe(200);
    await harness.ended(runId);
    expect(effects).toEqual([{ tool: "refund", input: { id: "A-1", amount: 70 } }]);
    expect(await harness.approval(approval.id)).toMatchObject({ status: "executed" });
    expect((await harness.call("finance", `${path}/evidence`)).body).toMatchObject({ decision: "edit" });
    expect((await harness.call("requester", `/threads/${threadId}`)).status).toBe(200);
    const types = (await store.auditTrail("acme", approval.id)).map(({ type }) => type);
    expect(types).toEqual(
      expect.arrayContaining(["approval.proposed", "decision.refused", "approval.executed"]),
    );
  });

  it("gives, uses and revokes grants, and counts votes", async () => {
    const first = await harness.say(refundCall(60));
    const approval = await harness.onlyPending();
    expect((await approveWithGrant(harness, approval, exactGrant)).status).toBe(200);
    await harness.ended(first.runId);
    const again = await harness.say(refundCall(60), first.threadId);
    await harness.ended(again.runId);
    const { items } = (await harness.call("finance", "/grants?live=true")).body;
    expect(items).toMatchObject([{ usesTaken: 1 }]);
    expect((await post("finance", `/grants/${items[0].id}/revoke`, {})).status).toBe(200);
    const [call] = await proposeCall(store, { terms: { quorum: 2, decisions: ["approve", "deny"] } });
    if (!call) throw new Error("unreachable");
    for (const token of ["finance", "lead"])
      expect((await harness.decide(call, "approve", token)).status).toBe(200);
    expect(await store.getApproval("acme", call.id)).toMatchObject({ status: "approved" });
  });

  it("expires overdue calls, relays wake-ups, deletes old ended runs and withdraws calls", async () => {
    const [late] = await proposeCall(store, { timeoutMs: 1000 });
    if (!late) throw new Error("unreachable");
    await database.admin`update countersign.approvals set expires_at = now() - interval '1 hour' where id = ${late.id}`;
    await database.admin`update countersign.outbox set next_attempt_at = now() - interval '1 hour'`;
    await database.admin`insert into countersign.ended_runs values ('old', 'run_failed', now() - interval '1 year')`;
    await database.admin`insert into countersign.allowed_responses values ('old', 'acme', now() - interval '1 year')`;
    expect((await store.sweep()).expired).toBeGreaterThan(0);
    await store.takeDueWakeUps(100);
    expect(await database.admin`select from countersign.ended_runs where run_id = 'old'`).toHaveLength(0);
    expect(
      await database.admin`select from countersign.allowed_responses where request_id = 'old'`,
    ).toHaveLength(0);
    const [open] = await proposeCall(store, { runId: "cancelled" });
    await store.withdrawRun("cancelled", "run_cancelled");
    expect(await store.getApproval("acme", open?.id ?? "")).toMatchObject({ status: "withdrawn" });
    await store.settle(open?.requestId ?? "", 0);
  });

  it("subscribes browsers, and ends their subscriptions", async () => {
    const ada = { principalId: "ada", roles: [], keys: { p256dh: "key", auth: "secret" } };
    await store.savePushSubscription("acme", { ...ada, endpoint: "https://push.example.com/ada" });
    const [saved] = await store.listPushSubscriptions("acme");
    expect(saved).toMatchObject(ada);
    await store.deletePushSubscription("acme", { id: saved?.id ?? "" });
    expect(await store.listPushSubscriptions("acme")).toEqual([]);
  });

  it("serves readiness, preferences, statistics, the audit log and live updates", async () => {
    expect((await harness.call("nobody", "/readyz")).status).toBe(200);
    expect((await harness.call("finance", "/preferences", { method: "PUT", body: {} })).status).toBe(200);
    expect((await store.statistics()).pending).toBeDefined();
    expect((await harness.call("auditor", "/audit/verify")).body).toMatchObject({ ok: true });
    let changes = 0;
    const stop = await store.subscribe("acme", () => {
      changes += 1;
    });
    await store.recordNote({ tenantId: "acme", type: "call.refused", data: {} });
    await eventually(() => (changes > 0 ? true : undefined), "a change");
    await stop();
    const saving = harness.countersign.history.savePendingApproval({
      ...{ approvalId: "saved", threadId: "t", eventIdToWaitFor: "e", toolName: "x", toolInput: {} },
      ...{ toolCallId: "c", status: "pending", createdAt: new Date() },
    });
    await expect(saving).resolves.toBeUndefined();
    expect(await harness.countersign.threads.list(principals.requester as never)).not.toEqual([]);
  });

  it("runs the commands audit verify, audit export, policy diff and policy suggest", async () => {
    const policy = fileURLToPath(new URL("../../apps/demo/policy.yaml", import.meta.url));
    const run = (...args: string[]) => countersign([...args, "--database-url", role.url]);
    expect((await run("audit", "verify")).out).toContain("all in order");
    expect((await run("audit", "export", "--format", "csv")).out).toContain("approval.executed");
    const diff = await run("policy", "diff", "--live", policy, "--candidate", policy);
    expect(diff.out).toMatch(/0 of \d+ calls would change/);
    const suggested = await run("policy", "suggest", policy, "--hold-out", "1ms");
    expect(suggested.out).toMatch(/Learned from [1-9]\d* calls? decided/);
  });

  it.each([
    "alter table countersign.approvals disable row level security",
    "alter table countersign.approvals no force row level security",
    "drop policy own_tenant on countersign.approvals",
    "alter table countersign.audit_entries disable trigger append_only",
    "alter table countersign.audit_entries disable trigger all",
    "drop trigger append_only on countersign.audit_entries",
    "create or replace function countersign.refuse_change_of_audit_log() returns trigger language plpgsql as 'begin return new; end'",
    "set session_replication_role = replica",
    "update countersign.audit_entries set actor_id = 'mallory'",
    "delete from countersign.audit_entries",
    "truncate countersign.audit_entries",
    "delete from countersign.audit_heads",
    "insert into countersign.audit_segments values ('acme', 1, 1, 'x', 'x', 'x', now())",
    "delete from countersign.audit_segments",
    "delete from countersign.stops",
    "update countersign.audit_heads set position = position - 1",
    "truncate countersign.approvals cascade",
    ...["requests", "approvals", "votes", "evidence", "grants", "refusals", "threads", "thread_entries"].map(
      (table) => `delete from countersign.${table}`,
    ),
    "alter table countersign.approvals add column extra text",
    "create table countersign.extra (id text)",
    "create trigger extra before update on countersign.approvals for each row execute function countersign.refuse_change_of_audit_log()",
    "drop table countersign.votes",
    "drop schema countersign cascade",
    "delete from drizzle.countersign_migrations",
    "set role owner",
    "alter table countersign.approvals owner to current_user",
    "alter role current_user bypassrls",
    "grant delete on countersign.approvals to current_user",
  ])("cannot run: %s", async (statement) => {
    const attempt = sql.begin(async (tx) => {
      await tx`select set_config('countersign.all_tenants', 'on', true)`;
      await tx.unsafe(statement);
    });
    // Postgres does not refuse a grant by a role that may not grant: it warns and grants nothing.
    if (statement.startsWith("grant")) await attempt.catch(() => {});
    else await expect(attempt).rejects.toMatchObject({ code: "42501" });
    const [has] = await sql`select has_table_privilege('countersign.approvals', 'delete') as delete`;
    expect(has).toEqual({ delete: false });
  });
});

describe("the database role for retention", () => {
  it("prunes, seals and forgets, and cannot change data in any other way", async () => {
    await using database = await freshPostgres();
    await using role = await createRole(database, retentionRole);
    await role.giveRights();
    const past = await openPast(database);
    const old = await past.daysAgo(900, async () => {
      await past.store.openThread({ tenantId: "acme", id: "old", ownerId: "eve", runId: null });
      await past.store.endThread("acme", "old", null);
      return executedCall(past.store);
    });
    const fresh = await executedCall(past.store, { requesterId: "eve" });
    await past.store.setPreferences("acme", "eve", {});
    const browser = { endpoint: "https://push.example.com/eve", keys: { p256dh: "key", auth: "secret" } };
    await past.store.savePushSubscription("acme", { principalId: "eve", roles: [], ...browser });
    const store = postgresStore({ url: role.url, max: 2 });
    const { removed, sealed } = await prune(
      { store, signer: undefined },
      {
        olderThan: {
          ...{ requests: "180d", threads: "180d", grants: "180d", proofs: "180d" },
          stops: "180d",
          audit: "1y",
        },
      },
    );
    expect(removed).toMatchObject({ approvals: 1, threads: 1, evidence: 1, audit_entries: 5 });
    expect(sealed).toHaveLength(1);
    expect(await past.store.getApproval("acme", old.id)).toBeUndefined();
    expect(await store.verifyAudit("acme")).toMatchObject({ ok: true, sealed: [{ lastPosition: 5 }] });
    const forgotten = await forget({ store }, { tenantId: "acme", personId: "eve" });
    expect(forgotten.removed).toMatchObject({ requests: 1, preferences: 1, push_subscriptions: 1 });
    expect(await past.store.getApproval("acme", fresh.id)).toBeUndefined();
    const sql = postgres(role.url, { max: 1, onnotice: () => {} });
    for (const statement of [
      "update countersign.audit_entries set type = 'x'",
      "delete from countersign.audit_entries",
      "delete from countersign.audit_segments",
      "update countersign.approvals set status = 'approved'",
      "update countersign.grants set uses_left = 5",
      "update countersign.evidence set consumed_at = null",
      "insert into countersign.approvals (id) values ('x')",
      "alter table countersign.audit_entries disable trigger all",
      "truncate countersign.approvals cascade",
    ]) {
      const attempt = sql.begin(async (tx) => {
        await tx`select set_config('countersign.all_tenants', 'on', true)`;
        await tx.unsafe(statement);
      });
      await expect(attempt, statement).rejects.toMatchObject({ code: "42501" });
    }
    await sql.end();
    await store.close();
    await past.store.close();
  });

  it("is needed to prune, because the application's role may not", async () => {
    await using database = await freshPostgres();
    await using role = await createRole(database);
    await role.giveRights();
    const past = await openPast(database);
    await past.daysAgo(900, () => executedCall(past.store));
    const store = postgresStore({ url: role.url, max: 1 });
    for (const olderThan of [{ requests: "180d" }, { proofs: "180d", audit: "1y" }]) {
      if ("audit" in olderThan)
        await prune({ store: past.store, signer: undefined }, { olderThan: { requests: "180d" } });
      await expect(prune({ store, signer: undefined }, { olderThan })).rejects.toMatchObject({
        detail: { sqlState: "42501" },
      });
    }
    await store.close();
    await past.store.close();
  });
});

describe("a database role that may not read the journal of migrations", () => {
  const withoutJournal = rights.replace(/^.*countersign_migrations.*$/m, "").replace(", drizzle", "");

  it("is ready with a complete schema, and gets an error that explains why it cannot migrate", async () => {
    await using database = await freshPostgres(2);
    await using role = await createRole(database);
    await role.giveRights(withoutJournal);
    const store = postgresStore({ url: role.url, max: 1 });
    expect(await store.isMigrated()).toBe(true);
    await expect(store.migrate()).rejects.toMatchObject({
      code: "database_failed",
      message: expect.stringContaining("owns the tables"),
    });
    await store.close();
  });

  it("is not ready with an older schema or without a schema", async () => {
    await using database = await emptyPostgres(2);
    await using role = await createRole(database);
    const store = postgresStore({ url: role.url, max: 1 });
    expect(await store.isMigrated()).toBe(false);
    await migrateTo(migrationCount, database.postgres);
    await role.giveRights(withoutJournal);
    expect(await store.isMigrated()).toBe(true);
    await database.admin`alter table countersign.approvals drop column escalation_steps`;
    expect(await store.isMigrated()).toBe(false);
    await store.close();
  });
});
