import { randomUUID } from "node:crypto";
import { postgresStore } from "countersign/postgres";
import postgres from "postgres";
import { fillWithDecided } from "../support/postgres/many-approvals.mjs";
import { scaled } from "./support/brief.mjs";
import { startPostgres } from "./support/postgres.mjs";
import { waitingCall } from "./support/waiting-call.mjs";

/**
 * How much longer a list, a count and a decision take where a tenant has decided many approvals before, through the store
 * on a real Postgres whose policies bind its role. A page is 50 of 200 waiting calls.
 */
const sizes = [scaled(10_000), scaled(1_000_000)];
const waiting = 200;
const rounds = scaled(200);
const decisions = scaled(60);

const finance = { id: "finance", tenantId: "acme", roles: ["finance"] };

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* storedApprovals() {
  const server = await startPostgres();
  const sql = postgres(server.url, { max: 4, onnotice: () => {} });
  const store = postgresStore({ client: sql });
  try {
    await store.migrate();
    const atFirst = await measure(store, sql);
    yield* results("0", atFirst, atFirst);
    let stored = 0;
    for (const size of sizes) {
      await fillWithDecided(sql, "acme", { from: stored + 1, to: size });
      stored = size;
      yield* results(size.toLocaleString("en"), await measure(store, sql), atFirst);
    }
  } finally {
    await sql.end();
    await server.stop();
  }
}

/**
 * @param {string} stored
 * @param {Record<string, number>} now
 * @param {Record<string, number>} atFirst
 * @returns {Generator<import("./support/measure.mjs").Result>}
 */
function* results(stored, now, atFirst) {
  for (const [name, value] of Object.entries(now)) {
    const ratio = value / (atFirst[name] ?? Number.NaN);
    yield {
      name: `${name}, ${stored} approvals decided before`,
      value,
      unit: "ms",
      ...(stored === "0" ? {} : { ratioTo: "none before", ratio, aim: "≤ 2 ×", met: ratio <= 2 }),
    };
  }
}

/**
 * Medians in milliseconds; the subjects take turns, so that what else the machine does falls on all alike.
 *
 * @param {import("countersign").Store} store
 * @param {postgres.Sql} sql
 */
async function measure(store, sql) {
  const { rows } = await wait(store, waiting + decisions);
  await sql`analyze countersign.approvals`;
  const mine = { tenantId: "acme", visibleTo: finance, limit: 50 };
  const expires = /** @type {const} */ ({ by: "expiresAt", latestFirst: false });
  const decided = /** @type {const} */ ({ by: "decidedAt", latestFirst: true });
  /** @type {Record<string, () => Promise<unknown>>} */
  const subjects = {
    "list what waits": () => store.listApprovals({ ...mine, statuses: ["pending"], order: expires }),
    "list what was decided": () =>
      store.listApprovals({ ...mine, statuses: ["executed", "denied"], order: decided }),
    "count what waits": () => store.countApprovals({ tenantId: "acme", visibleTo: finance }),
  };
  const next = rows.values();
  const times = Object.fromEntries(
    [...Object.keys(subjects), "decide"].map((name) => [name, /** @type {number[]} */ ([])]),
  );
  for (let round = 0; round < rounds; round++) {
    for (const [name, subject] of Object.entries(subjects)) times[name]?.push(await timed(subject));
    const call = round < decisions ? next.next().value : undefined;
    if (call) times.decide?.push(await timed(() => decide(store, call)));
  }
  for (const call of next) await decide(store, call);
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

/** @param {import("countersign").Store} store @param {import("countersign").Approval} call */
async function decide(store, call) {
  const { id: approvalId, digest } = call;
  const { outcome } = await store.decide({
    approvalId,
    principal: finance,
    type: "deny",
    digest,
    reason: null,
  });
  if (outcome !== "decided") throw new Error(`The decision was ${outcome}`);
}

/** @param {() => Promise<unknown>} subject */
async function timed(subject) {
  const start = performance.now();
  await subject();
  return performance.now() - start;
}

/** @param {number[]} values */
function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Writes calls that wait, each in a request of its own. @param {import("countersign").Store} store @param {number} count */
async function wait(store, count) {
  const rows = [];
  for (let n = 0; n < count; n++) {
    const call = waitingCall({ tenantId: "acme", threadId: randomUUID(), requesterId: "requester" });
    await store.propose(call);
    rows.push(...(await store.announce(call.requestId)));
  }
  return { rows };
}
