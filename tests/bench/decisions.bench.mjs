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
 * from here, as pgbench would: recorded from one decision, and sent again for other calls, with the versions that the first
 * of the two reads. All calls are one tenant's, whose decisions take turns on the head of its audit log, both ways.
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
 * @returns {Promise<Statement[]>} those of one decision: what reads and what applies
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
  return statements.filter(({ text }) => /countersign\.(read_all|apply_changes)\(/.test(text));
}

/** @type {typeof fetch} */
async function takesEvents() {
  return Response.json({ ids: ["event"], status: 200 });
}

/** @param {postgres.Sql} sql @param {Statement[]} statements @param {Iterator<number>} numbers @param {number} count */
function raw(sql, [read, apply], numbers, count) {
  if (!read || !apply) throw new Error("A decision reads and applies");
  return perSecond(count, numbers, async (number) => {
    const ofCall = read.parameters.map((value) => (value === '["open_1"]' ? `["open_${number}"]` : value));
    const [found] = JSON.parse(await resultOf(sql, read.text, ofCall));
    const sets = changesOf(String(apply.parameters.at(-1)), number, found.request);
    const [written] = JSON.parse(await resultOf(sql, apply.text, [...apply.parameters.slice(0, -1), sets]));
    if (!/^\d+$/.test(written)) throw new Error(`${number} was not written, because of ${written}`);
  });
}

/** @param {postgres.Sql} sql @param {string} text @param {unknown[]} parameters @returns {Promise<string>} */
async function resultOf(sql, text, parameters) {
  const [row] = await sql.unsafe(text, /** @type {any[]} */ (parameters), { prepare: true });
  return row?.result;
}

/** The recorded changes for another call. @param {string} recorded @param {number} number @param {any} request */
function changesOf(recorded, number, request) {
  const [set] = JSON.parse(
    recorded
      .replaceAll(/\bopen_1\b/g, `open_${number}`)
      .replaceAll(digestOfPending("acme", 1), digestOfPending("acme", number))
      .replaceAll(/\bevd_[0-9a-f-]+/g, `evd_${number}`),
  );
  // It was judged when it was recorded.
  const { judgedAt: _, validUntil: __, ...changes } = set;
  changes.request = { ...changes.request, id: request.row.id, version: request.version };
  changes.approvals[0].version = request.calls[0].version;
  return JSON.stringify([changes]);
}

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
