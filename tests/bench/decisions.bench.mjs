import { fork } from "node:child_process";
import { once } from "node:events";
import { createCountersign } from "countersign";
import { postgresStore } from "countersign/postgres";
import { Inngest } from "inngest";
import postgres from "postgres";
import { digestOfPending, fillWithPending } from "../support/postgres/many-approvals.mjs";
import { scaled } from "./support/brief.mjs";
import { finance, policy } from "./support/installation.mjs";
import { startPostgres } from "./support/postgres.mjs";

/**
 * Decisions a second through the API, whose server is a process of its own, beside the same statements sent one by one
 * from here, as pgbench would: recorded from one decision, and sent again with the ids of other calls. All calls are one
 * tenant's, whose decisions take turns on the head of its audit log, both ways.
 */
const decisions = scaled(2_000);
const warmUp = scaled(200);
const atOnce = 16;

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* decisionsASecond() {
  const server = await startPostgres();
  const sql = postgres(server.url, { max: atOnce, onnotice: () => {} });
  try {
    await postgresStore({ client: sql }).migrate();
    await fillWithPending(sql, "acme", 2 * (decisions + warmUp) + 1);
    const statements = await recordOne(server.url);
    const numbers = calls();
    await raw(sql, statements, numbers, warmUp);
    const rawly = await raw(sql, statements, numbers, decisions);
    const api = await startApi(server.url);
    await overHttp(api.url, numbers, warmUp);
    const served = await overHttp(api.url, numbers, decisions);
    api.stop();
    yield { name: "decisions a second, the statements alone", value: rawly, unit: "a second" };
    yield {
      name: "decisions a second through the API",
      value: served,
      unit: "a second",
      ratioTo: "the statements alone",
      ratio: served / rawly,
      aim: "≥ 0.6 ×",
      met: served / rawly >= 0.6,
    };
    yield { name: "statements of a decision", value: statements.length, unit: "statements" };
  } finally {
    await sql.end();
    await server.stop();
  }
}

/** The calls that wait, by number; the first is for the recording. */
function* calls() {
  for (let number = 2; ; number++) yield number;
}

/** Carries out `count` pieces of work, so many at once; how many a second. @param {number} count @param {(number: number) => Promise<void>} work @param {Iterator<number>} numbers */
async function perSecond(count, numbers, work) {
  let left = count;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await work(numbers.next().value);
    }),
  );
  return (count / (performance.now() - start)) * 1000;
}

/**
 * @typedef {{ text: string, parameters: unknown[] }} Statement
 * @param {string} url
 * @returns {Promise<Statement[]>} those between `begin` and `commit` of one decision
 */
async function recordOne(url) {
  /** @type {Statement[]} */
  const statements = [];
  const client = postgres(url, {
    max: 1,
    onnotice: () => {},
    debug: (_, text, parameters) => statements.push({ text, parameters: [...parameters] }),
  });
  const inngest = new Inngest({ id: "bench", isDev: true, fetch: takesEvents });
  const countersign = createCountersign({
    inngest,
    store: postgresStore({ client }),
    policy,
    signingKey: "only for benchmarks, and at least 32 bytes",
  });
  await client`select 1`;
  statements.length = 0;
  await countersign.decide({
    approvalId: "open_1",
    principal: finance,
    type: "approve",
    digest: digestOfPending("acme", 1),
    reason: null,
  });
  await client.end();
  return statements.filter(({ text }) => !/^(begin|commit)/.test(text));
}

/** @type {typeof fetch} */
async function takesEvents() {
  return Response.json({ ids: ["event"], status: 200 });
}

/** @param {postgres.Sql} sql @param {Statement[]} statements @param {Iterator<number>} numbers @param {number} count */
function raw(sql, statements, numbers, count) {
  return perSecond(count, numbers, async (number) => {
    await sql.begin(async (tx) => {
      /** @type {number | undefined} */
      let position;
      for (const { text, parameters } of statements) {
        const rows = await tx.unsafe(text, parametersFor(parameters, number, position), { prepare: true });
        // The head of the audit log says which place the entry has; the place that was recorded is taken.
        if (text.startsWith('insert into "countersign"."audit_heads"'))
          position = Number(rows[0]?.position) + 1;
      }
    });
  });
}

/** @param {unknown[]} recorded @param {number} number @param {number | undefined} position */
function parametersFor(recorded, number, position) {
  return recorded.map((value) => {
    if (position !== undefined && value === recordedPosition) return position;
    if (typeof value !== "string") return /** @type {any} */ (value);
    if (value.startsWith("evd_")) return `evd_${number}`;
    if (value === digestOfPending("acme", 1)) return digestOfPending("acme", number);
    return value.replace(/^open_1$/, () => `open_${number}`);
  });
}

/** The place of the first entry in a log. */
const recordedPosition = 1;

/** @param {string} url */
async function startApi(url) {
  const child = fork(new URL("./support/approvals-server.mjs", import.meta.url), [url]);
  const [port] = await once(child, "message");
  return { url: `http://127.0.0.1:${port}/api`, stop: () => child.kill() };
}

/** @param {string} url @param {Iterator<number>} numbers @param {number} count */
function overHttp(url, numbers, count) {
  return perSecond(count, numbers, async (number) => {
    const response = await fetch(`${url}/approvals/open_${number}/decision`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ type: "approve", digest: digestOfPending("acme", number) }),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  });
}
