import { randomUUID } from "node:crypto";
import { counterOf, countNamed } from "@countersign/policy/internal/policy/counts";
import { defaultTerms, storeVerbs } from "countersign/internal";
import { postgresStore } from "countersign/postgres";
import postgres from "postgres";
import { fillWithDecided } from "../support/postgres/many-approvals.mjs";
import { scaled } from "./support/brief.mjs";
import { median } from "./support/measure.mjs";
import { startPostgres } from "./support/postgres.mjs";

/**
 * How much longer the proposal of a call takes that a limit over time counts, where a tenant has many approvals of 30 days:
 * the numbers are read, confirmed behind the tenant's turn, and the call is counted.
 */
const stored = scaled(1_000_000);
const requesters = 2000;
const days = 30;
const rounds = { requester: scaled(300), tenant: scaled(100) };
const warmUp = scaled(10);
const dayMs = 86_400_000;
const series = {
  requester: countNamed("spent", ["refund", "amount", "24h"]),
  tenant: countNamed("spent", ["refund", "amount", "24h", "tenant"]),
};

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* limits() {
  const server = await startPostgres();
  const sql = postgres(server.url, { max: 4, onnotice: () => {} });
  const store = storeVerbs(postgresStore({ client: sql }));
  try {
    await store.migrate();
    await fillWithDecided(sql, "acme", { from: 1, to: stored });
    await count(sql, "requester");
    const ofRequester = await compare(store, "requester");
    yield* results("of a requester", ofRequester, { ratioTo: "without", other: ofRequester.without });
    await count(sql, "tenant");
    const ofTenant = await compare(store, "tenant");
    yield* results("of the whole tenant", ofTenant, {
      ...{ ratioTo: "of a requester", other: ofRequester.with, aim: 1.5 },
    });
  } finally {
    await sql.end();
    await server.stop();
  }
}

/**
 * @param {string} whose
 * @param {{ without: number, with: number }} medians
 * @param {{ ratioTo: string, other: number, aim?: number }} compared
 * @returns {Generator<import("./support/measure.mjs").Result>}
 */
function* results(whose, medians, { ratioTo, other, aim }) {
  const among = `${stored.toLocaleString("en")} approvals in ${days} days`;
  const ratio = medians.with / other;
  yield { name: `proposal without a limit over 24 h ${whose}, ${among}`, value: medians.without, unit: "ms" };
  yield {
    name: `proposal with a limit over 24 h ${whose}, ${among}`,
    value: medians.with,
    unit: "ms",
    ...{ ratioTo, ratio, ...(aim === undefined ? {} : { aim: `≤ ${aim} ×`, met: ratio <= aim }) },
  };
  const added = medians.with - medians.without;
  yield { name: `added by the limit over 24 h ${whose}`, value: added, unit: "ms" };
}

/**
 * Counts all approvals. Half of them were denied and no longer count.
 *
 * @param {postgres.Sql} sql
 * @param {keyof typeof series} per
 */
async function count(sql, per) {
  const counters = Array.from({ length: requesters }, (_, index) => counterFor(per, index));
  await sql.begin(async (tx) => {
    await tx`select set_config('countersign.all_tenants', 'on', true)`;
    await tx`
      insert into countersign.counted_calls (approval_id, counter, tenant_id, at, amount, counts)
      select 'past_' || n, (${counters}::text[])[1 + (n / 2) % ${requesters}::int], 'acme',
        now() - n * ${(days * dayMs) / stored}::float8 * interval '1 millisecond', 80, n % 2 = 0
      from generate_series(${stored}::int, 1, -1) n`;
    // They were counted at their times, so no hour has changed since.
    await tx`delete from countersign.counted_hours`;
  });
  await sql`vacuum analyze countersign.counted_calls, countersign.counted_hours`;
}

/** @param {keyof typeof series} per @param {number} requester */
function counterFor(per, requester) {
  const call = { input: {}, requesterId: `requester ${requester}`, threadId: null };
  return counterOf(series[per], call) ?? "";
}

/**
 * Medians in milliseconds. The two take turns.
 *
 * @param {import("countersign/internal").StoreVerbs} store
 * @param {keyof typeof series} per
 */
async function compare(store, per) {
  const times = { without: /** @type {number[]} */ ([]), with: /** @type {number[]} */ ([]) };
  for (let round = -warmUp; round < rounds[per]; round++) {
    const counter = counterFor(per, Math.abs(round));
    const plain = await timed(() => store.propose(proposal(round)));
    const limited = await timed(async () => {
      const queries = [{ counter, windowMs: dayMs }];
      await store.readCounts("acme", queries);
      const { calls, ...request } = proposal(round);
      await store.propose({
        ...request,
        calls: calls.map((call) => ({ ...call, countedAs: [{ counter, amount: 80 }] })),
        counts: { queries, stand: () => true },
      });
    });
    if (round < 0) continue;
    times.without.push(plain);
    times.with.push(limited);
  }
  return { without: median(times.without), with: median(times.with) };
}

/** A call that runs without asking. @param {number} round */
function proposal(round) {
  const id = randomUUID();
  return {
    ...{ requestId: `req_${id}`, tenantId: "acme", threadId: id, runId: `run_${id}` },
    ...{ appId: "bench", agentName: "support", requesterId: `requester ${Math.abs(round)}` },
    requesterName: undefined,
    calls: [
      {
        ...{ id: `apr_${id}`, position: 0, toolCallId: "call", toolName: "refund", toolVersion: "1" },
        ...{ inputJson: JSON.stringify({ id, amount: 80 }), inputSchemaJson: null, policyVersion: "1" },
        policyContext: { principal: null, profile: null, mcp: null },
        verdict: /** @type {const} */ ("notify"),
        ...{ reason: null, summary: "Refund 80 EUR", risk: /** @type {const} */ ("medium") },
        approvers: { roles: [], ids: [] },
        timeoutMs: 3_600_000,
        terms: defaultTerms,
      },
    ],
  };
}

/** @param {() => Promise<unknown>} subject */
async function timed(subject) {
  const start = performance.now();
  await subject();
  return performance.now() - start;
}
