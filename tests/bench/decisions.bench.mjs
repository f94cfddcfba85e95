import { fork } from "node:child_process";
import { once } from "node:events";
import { postgresStore } from "countersign/postgres";
import postgres from "postgres";
import { digestOfPending, fillWithPending } from "../support/postgres/many-approvals.mjs";
import { scaled } from "./support/brief.mjs";
import { median } from "./support/measure.mjs";
import { startPostgres } from "./support/postgres.mjs";
import { recordDecision, repeatDecision } from "./support/recorded-decision.mjs";

/**
 * Decisions a second through the API, whose server is a process of its own, beside the same statements sent one by one
 * from here, as pgbench would. As many decisions are under way as there are connections to the database. Those of one tenant
 * take turns on the head of its audit log; those of many hardly meet.
 */
const rounds = scaled(3, 1);
const loads = [
  { connections: 1, decisions: scaled(40) },
  { connections: 8, decisions: scaled(120, 8) },
  { connections: 32, decisions: scaled(240, 32) },
];
const tenantsOf = {
  "many tenants": Array.from({ length: scaled(64, 8) }, (_, index) => `tenant_${index}`),
  "one tenant": ["tenant"],
};
/** With the most connections. */
const aims = { "many tenants": 1000, "one tenant": 800 };

/**
 * Each flush of the log takes 2 ms longer, as on a disk of a cloud. But whoever commits within these 2 ms goes with that
 * flush, and would wait for the next one there: that favours many tenants, whose commits overlap.
 */
const slowFlush = ["commit_delay=2000", "commit_siblings=0"];

/** @typedef {import("./support/recorded-decision.mjs").Call} Call */
/** @typedef {(call: Call) => Promise<void>} Decide */

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* decisionsASecond() {
  const server = await startPostgres({ flags: slowFlush });
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  try {
    await postgresStore({ client: sql }).migrate();
    const recorded = call("recorded_tenant", 1);
    await fillWithPending(sql, recorded.tenantId, 1);
    const statements = await recordDecision(server.url, recorded);
    const calls = await pendingCalls(sql);
    for (const load of loads) {
      const client = postgres(server.url, { max: load.connections, onnotice: () => {} });
      const api = await startApi(server.url, load.connections);
      try {
        yield* underLoad(load, calls, {
          alone: (next) => repeatDecision(client, statements, recorded, next),
          served: api.decide,
        });
      } finally {
        api.stop();
        await client.end();
      }
    }
    yield { name: "statements of a decision", value: statements.length, unit: "statements" };
  } finally {
    await sql.end();
    await server.stop();
  }
}

/**
 * Calls that wait, in which the tenants take turns.
 *
 * @param {import("postgres").Sql} sql
 */
async function pendingCalls(sql) {
  // Both ways to decide, and a round to warm up.
  const needed = 2 * (rounds + 1) * loads.reduce((sum, { decisions }) => sum + decisions, 0);
  let first = 2;
  /** @param {string[]} tenants */
  const fill = async (tenants) => {
    const [from, each] = [first, Math.ceil(needed / tenants.length)];
    first += each * tenants.length;
    for (const [index, tenantId] of tenants.entries()) {
      await fillWithPending(sql, tenantId, each, from + index * each);
    }
    return Array.from({ length: each }, (_, nth) =>
      tenants.map((tenantId, index) => call(tenantId, from + index * each + nth)),
    )
      .flat()
      .values();
  };
  return {
    "many tenants": await fill(tenantsOf["many tenants"]),
    "one tenant": await fill(tenantsOf["one tenant"]),
  };
}

/** @param {string} tenantId @param {number} number @returns {Call} */
function call(tenantId, number) {
  return { tenantId, id: `open_${number}`, digest: digestOfPending(tenantId, number) };
}

/**
 * @param {{ connections: number, decisions: number }} load
 * @param {Record<keyof typeof tenantsOf, Iterator<Call>>} calls
 * @param {{ alone: Decide, served: Decide }} ways they take turns
 * @returns {AsyncGenerator<import("./support/measure.mjs").Result>}
 */
async function* underLoad({ connections, decisions }, calls, ways) {
  for (const whose of /** @type {const} */ (["many tenants", "one tenant"])) {
    /** @type {number[]} */
    const alone = [];
    /** @type {number[]} */
    const served = [];
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round++) {
      const rates = [
        await perSecond(decisions, connections, calls[whose], ways.alone),
        await perSecond(decisions, connections, calls[whose], ways.served),
      ];
      if (round === 0) continue;
      alone.push(rates[0] ?? Number.NaN);
      served.push(rates[1] ?? Number.NaN);
    }
    const name = `decisions a second, ${whose}, connections: ${connections}`;
    yield { name: `${name}, the statements alone`, value: median(alone), unit: "a second" };
    const value = median(served);
    const ratio = value / median(alone);
    const aim =
      connections === 32 ? { aim: `≥ ${aims[whose].toLocaleString("en")}`, met: value >= aims[whose] } : {};
    yield { name, value, unit: "a second", ratioTo: "the statements alone", ratio, ...aim };
  }
}

/** Decides `count` calls, so many at once; how many a second. @param {number} count @param {number} atOnce @param {Iterator<Call>} calls @param {Decide} decide */
async function perSecond(count, atOnce, calls, decide) {
  let left = count;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
        const { value, done } = calls.next();
        if (done) throw new Error("No call waits any more");
        await decide(value);
      }
    }),
  );
  return (count / (performance.now() - start)) * 1000;
}

/** @param {string} url @param {number} connections */
async function startApi(url, connections) {
  const server = new URL("./support/approvals-server.mjs", import.meta.url);
  const child = fork(server, [url, String(connections)]);
  const [port] = await once(child, "message");
  return {
    /** @type {Decide} */
    async decide({ tenantId, id, digest }) {
      const response = await fetch(`http://127.0.0.1:${port}/api/approvals/${id}/decision`, {
        method: "POST",
        headers: { "content-type": "application/json", tenant: tenantId },
        body: JSON.stringify({ type: "approve", digest }),
      });
      if (!response.ok) throw new Error(await response.text());
      await response.arrayBuffer();
    },
    stop: () => child.kill(),
  };
}
