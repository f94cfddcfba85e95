import { randomUUID } from "node:crypto";
import { prune } from "@countersign/cli/operating";
import { createCountersign, definePolicy } from "countersign";
import { createEvidenceSigner } from "countersign/evidence";
import { postgresStore } from "countersign/postgres";
import { Inngest } from "inngest";
import postgres from "postgres";
import { scaled } from "./support/brief.mjs";
import { startPostgres } from "./support/postgres.mjs";
import { waitingCall } from "./support/waiting-call.mjs";

/**
 * What one approval leaves in the database, with its indexes, and how fast it is removed again, through the store on a real
 * Postgres whose policies bind its role. Each approval is a conversation of its own with one call, arguments of half a
 * kilobyte, a signed proof and two kilobytes of messages.
 */
const approvals = scaled(2_000);
const atOnce = 8;
const daysAgo = 400;
const secret = "a-secret-of-at-least-thirty-two-bytes";
const tenantId = "acme";
const finance = { id: "finance", tenantId, roles: ["finance"] };

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* retention() {
  const server = await startPostgres();
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  let offsetMs = -daysAgo * 86_400_000;
  const store = postgresStore({ url: server.url, clockOffset: () => offsetMs });
  try {
    await store.migrate();
    const empty = await sizes(sql);
    const signer = createEvidenceSigner(secret);
    const left = Array.from({ length: approvals }, (_, n) => n).values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const n of left) await oneConversation(store, signer, n);
      }),
    );
    const full = await sizes(sql);
    let sum = 0;
    for (const [table, { bytes, rows }] of Object.entries(full)) {
      const grown = bytes - (empty[table]?.bytes ?? 0);
      sum += grown;
      if (rows < approvals / 2) continue;
      yield { name: `${table}: bytes an approval`, value: grown / approvals, unit: "B" };
      yield { name: `${table}: rows an approval`, value: rows / approvals, unit: "rows" };
    }
    yield { name: "all tables: bytes an approval", value: sum / approvals, unit: "B" };

    offsetMs = 0;
    const entries = full.audit_entries?.rows ?? 0;
    yield {
      name: "verify: audit entries a second",
      value: await perSecond(entries, () => store.verifyAudit(tenantId)),
      unit: "entries/s",
    };
    const countersign = createCountersign({
      inngest: new Inngest({ id: "bench", isDev: true }),
      store,
      policy: definePolicy({ tools: {} }),
      signingKey: secret,
    });
    const rows = await perSecond(approvals, () => prune(countersign, { olderThan: "180d" }));
    yield { name: "prune: approvals with their conversations a second", value: rows, unit: "approvals/s" };
    let bytes = 0;
    const seal = await perSecond(entries, () =>
      prune(countersign, {
        olderThan: { audit: "1y" },
        batchSize: 5000,
        archive: async ({ lines }) => {
          for await (const line of lines) bytes += Buffer.byteLength(line);
        },
      }),
    );
    yield {
      name: "prune: audit entries archived, sealed and removed a second",
      value: seal,
      unit: "entries/s",
    };
    yield { name: "archive: bytes an audit entry", value: bytes / entries, unit: "B" };
    const verified = await store.verifyAudit(tenantId);
    if (!verified.ok) throw new Error(verified.message);
    await sql`vacuum`;
    const after = await sizes(sql);
    const rest = Object.values(after).reduce((total, table) => total + table.rows, 0);
    yield { name: "rows that are left of all", value: rest, unit: "rows" };
  } finally {
    await store.close();
    await sql.end();
    await server.stop();
  }
}

/**
 * @param {number} count
 * @param {() => Promise<unknown>} work
 */
async function perSecond(count, work) {
  const start = performance.now();
  await work();
  return (count * 1000) / (performance.now() - start);
}

/**
 * Bytes of each table with its indexes and its long values, and its rows.
 *
 * @param {postgres.Sql} sql
 * @returns {Promise<Record<string, { bytes: number, rows: number }>>}
 */
async function sizes(sql) {
  const tables = await sql`
    select relname as name, pg_total_relation_size(oid)::bigint::float8 as bytes from pg_class
    where relnamespace = 'countersign'::regnamespace and relkind = 'r' order by relname`;
  /** @type {Record<string, { bytes: number, rows: number }>} */
  const found = {};
  for (const { name, bytes } of tables) {
    const [row] = await sql.begin(async (tx) => {
      await tx`select set_config('countersign.all_tenants', 'on', true)`;
      return tx.unsafe(`select count(*)::int as count from countersign.${name}`);
    });
    found[name] = { bytes, rows: row?.count ?? 0 };
  }
  return found;
}

/**
 * @param {import("countersign").Store} store
 * @param {import("countersign/evidence").EvidenceSigner} signer
 * @param {number} n
 */
async function oneConversation(store, signer, n) {
  const threadId = `thr_${randomUUID()}`;
  const runId = `run_${randomUUID()}`;
  const input = { orderId: `A-${n}`, amount: 80, reason: randomUUID().repeat(12) };
  const body = JSON.stringify({ agentName: "support", output: [randomUUID().repeat(18)], toolCalls: [] });
  await store.openThread({ tenantId, id: threadId, ownerId: "requester", runId });
  await store.appendEntries(tenantId, threadId, [
    {
      runId,
      kind: "user",
      key: "user",
      bodyJson: JSON.stringify({ id: "1", content: randomUUID().repeat(18) }),
    },
  ]);
  const proposal = waitingCall({ tenantId, threadId, requesterId: "requester", runId, input });
  await store.propose(proposal);
  const [call] = await store.announce(proposal.requestId);
  if (!call) throw new Error("unreachable");
  const { id: approvalId, digest } = call;
  await store.decide({ approvalId, principal: finance, type: "approve", digest, reason: "Fine" }, signer);
  await store.settle(proposal.requestId, 0);
  await store.claim(approvalId, "once", () => undefined, signer);
  await store.finish(approvalId, { status: "executed", outcomeJson: JSON.stringify({ data: "refunded" }) });
  await store.appendEntries(tenantId, threadId, [{ runId, kind: "result", key: "result", bodyJson: body }]);
  await store.endThread(tenantId, threadId, runId);
}
