// `npm run soak`: a constant load for a long time, and what of it stays in the process and in the database.
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { scriptedModel } from "@countersign/testing";
import { postgresStore } from "countersign/postgres";
import postgres from "postgres";
import { startPostgres } from "../../support/postgres/own-postgres.mjs";
import { growthOf } from "./growth.mjs";

const usage = `npm run soak -- --engine URL [--minutes NUMBER] [--rate NUMBER] [--database URL]

  --engine    an Inngest server on this machine
  --minutes   how long (30)
  --rate      messages a second (1): each is a conversation with one refund that a person decides
  --database  an empty Postgres database; by default it starts a Postgres
`;
const { values } = parseArgs({
  options: {
    engine: { type: "string" },
    minutes: { type: "string", default: "30" },
    rate: { type: "string", default: "1" },
    database: { type: "string" },
  },
});
const [minutes, rate] = [Number(values.minutes), Number(values.rate)];
if (!values.engine || !(minutes > 0) || !(rate > 0)) {
  console.error(usage);
  process.exit(2);
}
process.exit(await soak(values.engine, values.database));

/** @typedef {Awaited<ReturnType<Awaited<ReturnType<typeof openApp>>["sample"]>>} Sample */

/** @param {string} engineUrl @param {string} [givenUrl] */
async function soak(engineUrl, givenUrl) {
  const server = givenUrl ? undefined : await startPostgres();
  await server?.createDatabase("soak");
  const databaseUrl = givenUrl ?? `${server?.ownerUrl}/soak`;
  const store = postgresStore({ url: databaseUrl, max: 1 });
  await store.migrate();
  await store.close();
  const model = scriptedModel({ reply });
  const { url: modelUrl, close: closeModel } = await model.listen();
  const appId = `soak-${Date.now().toString(36)}`;
  const app = await openApp(appId, databaseUrl, engineUrl, modelUrl);
  const load = startLoad(appId, engineUrl, app.url);
  const began = Date.now();
  const sampleMs = Math.max(5000, (minutes * 60_000) / 90);
  /** @type {Sample[]} */
  const samples = [];
  while (Date.now() - began < minutes * 60_000) {
    await sleep(sampleMs);
    // Of the requests to the model nobody reads any.
    model.requests.length = 0;
    samples.push(await app.sample());
    const { heap, handles, connections, rows } = samples.at(-1) ?? {};
    console.log(
      `${Math.round((Date.now() - began) / 1000)} s: ${JSON.stringify({ ...load.counts, heap, handles, connections, rows })}`,
    );
  }
  const left = await load.finish(app);
  await app.close();
  await closeModel();
  await server?.stop();
  return report(samples, load.counts, left);
}

/** @type {import("@countersign/testing").ScriptedModelOptions["reply"]} */
function reply({ messages }) {
  const asked = messages.at(-1);
  if (asked?.role !== "user") return { text: "Done." };
  const input = { id: asked.text, reason: "The parcel arrived broken. ".repeat(10) };
  return { text: "I will ask for that.", toolCalls: [{ name: "refund", input }] };
}

/** @param {string} appId @param {string} databaseUrl @param {string} engineUrl @param {string} modelUrl */
async function openApp(appId, databaseUrl, engineUrl, modelUrl) {
  const argv = [appId, databaseUrl, engineUrl, modelUrl];
  const child = fork(new URL("./app.mjs", import.meta.url), argv, { execArgv: ["--expose-gc"] });
  child.once("exit", (code) => {
    if (!closing) throw new Error(`The app ended with ${code}`);
  });
  let closing = false;
  const [{ url }] = await once(child, "message");
  const registered = await fetch(`${url}/api/inngest`, { method: "PUT" });
  if (!registered.ok) throw new Error(`The engine does not take the app: ${await registered.text()}`);
  const connection = { application_name: "soak" };
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {}, connection });
  const tables = await sql`select relname as name from pg_class
    where relnamespace = 'countersign'::regnamespace and relkind = 'r' order by relname`;
  /** @type {Map<string, number>} */
  const starts = new Map();
  return {
    url,
    starts,
    async sample() {
      child.send("sample");
      const [{ started, ...own }] = await once(child, "message");
      for (const [id, times] of started) starts.set(id, (starts.get(id) ?? 0) + times);
      const [open] = await sql`select count(*)::int as connections from pg_stat_activity
        where datname = current_database() and application_name <> 'soak' and backend_type = 'client backend'`;
      /** @type {Record<string, number>} */
      const rows = await sql.begin(async (tx) => {
        await tx`select set_config('countersign.all_tenants', 'on', true)`;
        const counts = [];
        for (const { name } of tables) {
          const [row] = await tx.unsafe(`select count(*)::int as count from countersign.${name}`);
          counts.push([name, Number(row?.count)]);
        }
        return Object.fromEntries(counts);
      });
      return { ...own, connections: Number(open?.connections), rows };
    },
    async close() {
      closing = true;
      // The engine goes on, and would call an app that is gone every minute.
      const query = new URLSearchParams({ url: `${url}/api/inngest` });
      await fetch(`${engineUrl}/fn/remove?${query}`, { method: "DELETE" });
      child.kill();
      await sql.end();
    },
  };
}

/** Messages at a constant rate, and somebody who approves most calls, denies some and lets some expire. */
function startLoad(appId, engineUrl, appUrl) {
  const counts = { sent: 0, approved: 0, denied: 0, failed: 0 };
  let sending = true;
  let deciding = true;
  const begun = Date.now();
  const sends = (async () => {
    for (; sending; await sleep(Math.max(0, begun + (counts.sent * 1000) / rate - Date.now()))) {
      const id = `message-${counts.sent++}`;
      const body = JSON.stringify({ id, name: `${appId}/message`, data: { id } });
      const sent = await fetch(`${engineUrl}/e/soak`, { method: "POST", body }).catch(() => undefined);
      await sent?.arrayBuffer();
      if (!sent?.ok) counts.failed++;
    }
  })();
  const decisions = (async () => {
    // A request that finds a kept connection closed is sent again by the next round.
    for (; deciding; await sleep(500)) await decideAll().catch(() => counts.failed++);
  })();
  async function decideAll() {
    const listed = await fetch(`${appUrl}/api/approvals?status=pending&limit=200`);
    const { items } = await listed.json();
    await Promise.all(items.map(decide));
  }
  /** @param {{ id: string, digest: string, input: { id: string } }} approval */
  async function decide({ id, digest, input }) {
    const number = Number(input.id.split("-")[1]);
    if (number % 20 === 0) return;
    const type = number % 5 === 0 ? "deny" : "approve";
    const body = JSON.stringify({ type, digest, ...(type === "deny" ? { reason: "No receipt" } : {}) });
    const headers = { "content-type": "application/json" };
    const decided = await fetch(`${appUrl}/api/approvals/${id}/decision`, { method: "POST", headers, body });
    await decided.arrayBuffer();
    if (decided.status !== 200) counts.failed++;
    else counts[type === "deny" ? "denied" : "approved"]++;
  }
  return {
    counts,
    /** Waits until everything has ended, for two minutes at most; says what has not, and what ran more or less than once. */
    async finish(app) {
      sending = false;
      await sends;
      const until = Date.now() + 120_000;
      for (;;) {
        await sleep(2000);
        const { rows } = await app.sample();
        const ran = [...app.starts.values()];
        const left = {
          wakeUps: rows.outbox ?? 0,
          notRun: counts.approved - ran.length,
          ranTwice: ran.filter((times) => times > 1).length,
        };
        if ((left.wakeUps > 0 || left.notRun > 0) && Date.now() < until) continue;
        deciding = false;
        await decisions;
        return left;
      }
    },
  };
}

/** @param {Sample[]} samples @param {object} counts @param {Record<string, number>} left */
function report(samples, counts, left) {
  const tables = Object.keys(samples[0]?.rows ?? {});
  const bytes = { share: 0.05, least: 1_000_000 };
  const few = { share: 0.05, least: 3 };
  // One row for each time that retention seals a part of the log, by design.
  const levelling = tables.filter((name) => name !== "audit_segments");
  const measured = [
    { name: "heap after GC, bytes", limit: bytes, values: samples.map(({ heap }) => heap) },
    { name: "memory outside the heap, bytes", limit: bytes, values: samples.map(({ external }) => external) },
    { name: "handles", limit: few, values: samples.map(({ handles }) => handles) },
    { name: "open files", limit: few, values: samples.map(({ files }) => files) },
    { name: "connections to Postgres", limit: few, values: samples.map(({ connections }) => connections) },
    ...levelling.map((name) => ({
      name: `rows of ${name}`,
      limit: { share: 0.05, least: 20 },
      values: samples.map(({ rows }) => rows[name] ?? 0),
    })),
  ].map(({ name, limit, values }) => ({
    name,
    ...growthOf(values, limit),
    first: values[0],
    last: values.at(-1),
  }));
  const rounded = (/** @type {number} */ value) => Math.round(value * 10) / 10;
  console.table(
    Object.fromEntries(
      measured.map(({ name, first, level, last, growth, allowed, grows }) => [
        name,
        { first, level: rounded(level), last, growth: rounded(growth), allowed: rounded(allowed), grows },
      ]),
    ),
  );
  const segments = samples.at(-1)?.rows.audit_segments;
  console.log(
    `${samples.length} samples over ${minutes} minutes; retention ran ${samples.at(-1)?.prunes} times, ${segments} sealed parts`,
  );
  console.log(JSON.stringify({ ...counts, ...left }));
  const grown = measured.filter(({ grows }) => grows).map(({ name }) => name);
  const wrong = Object.entries(left).filter(([, count]) => count !== 0);
  for (const name of grown) console.error(`GROWS: ${name}`);
  for (const [what, count] of wrong) console.error(`LEFT: ${what} ${count}`);
  return grown.length + wrong.length === 0 ? 0 : 1;
}
