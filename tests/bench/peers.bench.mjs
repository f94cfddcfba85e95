import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { scaled } from "./support/brief.mjs";
import { finance, install } from "./support/installation.mjs";
import { median } from "./support/measure.mjs";
import { startPostgres } from "./support/postgres.mjs";

/**
 * The same job on LangGraph JS and on Mastra, both with their Postgres storage, and on Countersign with the local engine, in
 * turns on one Postgres: a tool waits for an approval, and then runs. Each as its documentation has it, with pools of ten
 * connections.
 */
const rounds = scaled(40);
const warmUp = scaled(10);
const atOnce = scaled(200);
const bursts = scaled(3, 1);
const resumers = 5;
// Whether a call starts twice is a matter of luck where nothing prevents it, so one call would not tell.
const contests = scaled(5);

/**
 * @typedef {object} Subject
 * @property {(ids: string[]) => Promise<void>} propose resolves when all of these calls wait
 * @property {(id: string) => Promise<unknown>} approve
 * @property {() => Promise<void>} settled resolves when everything that was begun has ended
 * @property {(listener: (id: string) => void) => void} onTool
 * @property {() => Promise<void>} close
 */

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* peers() {
  installPeers();
  const server = await startPostgres();
  const ours = measured("Countersign", await countersignSubject(server.url));
  const langGraph = measured("LangGraph", await peer("langgraph", await server.open("langgraph")));
  const mastra = measured("Mastra", await peer("mastra", await server.open("mastra")));
  const all = [langGraph, mastra, ours];
  try {
    for (let round = 0; round < warmUp + rounds; round++) {
      for (const { subject, times } of all) {
        const time = await decisionToTool(subject, `one ${round}`);
        if (round >= warmUp) times.push(time);
      }
    }
    // The first burst is a warm-up, too.
    for (let burst = 0; burst <= bursts; burst++) {
      for (const { subject, perSecond } of all) {
        const rate = await approvalsPerSecond(subject, `burst ${burst}`);
        if (burst > 0) perSecond.push(rate);
      }
    }
    for (let contest = 0; contest < contests; contest++) {
      for (const { subject, starts } of all) {
        starts.push(await startsOfOneCall(subject, `contested ${contest}`));
      }
    }
  } finally {
    for (const { subject } of all) await subject.close();
    await untilDisconnected(server.url);
    await server.stop();
  }
  const toTool = median(ours.times);
  const job = "approval asked for to tool";
  for (const { name, times } of [langGraph, mastra]) {
    yield { name: `${job}, ${name}`, value: median(times), unit: "ms" };
  }
  yield { name: `${job}, Countersign`, value: toTool, unit: "ms", aim: "≤ 50 ms", met: toTool <= 50 };
  const rate = `approvals a second, ${atOnce} at once`;
  for (const { name, perSecond } of all) {
    yield { name: `${rate}, ${name}`, value: median(perSecond), unit: "a second" };
  }
  for (const [peer, aim] of /** @type {const} */ ([
    [langGraph, 0.35],
    [mastra, 1],
  ])) {
    const value = median(ours.perSecond);
    const ratio = value / median(peer.perSecond);
    yield {
      ...{ name: `${rate}, Countersign beside ${peer.name}`, value, unit: "a second" },
      ...{ ratioTo: peer.name, ratio, aim: `≥ ${aim} ×`, met: ratio >= aim },
    };
  }
  const contested = `most starts of one call, ${resumers} approve at once`;
  for (const { name, starts } of [langGraph, mastra]) {
    yield { name: `${contested}, ${name}`, value: Math.max(...starts), unit: "starts" };
  }
  yield {
    ...{ name: `${contested}, Countersign`, value: Math.max(...ours.starts), unit: "starts" },
    ...{ aim: "1", met: ours.starts.every((starts) => starts === 1) },
  };
}

/**
 * Waits until nobody is connected any more. The pool of the peers says that it has ended before its connections have, and a
 * server that ends one of them then ends this process with an error that nobody handles.
 *
 * @param {string} url
 */
async function untilDisconnected(url) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  for (let look = 0; ; look++) {
    const others = await sql`
      select datname, application_name, state, left(query, 80) as query from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`;
    if (others.length === 0) break;
    if (look === 1000) throw new Error(`Still connected: ${JSON.stringify(others)}`);
    await sql`select pg_sleep(0.01)`;
  }
  await sql.end();
}

/** The peers are a project of their own, which is installed when it is first needed. */
function installPeers() {
  const folder = new URL("./peers/", import.meta.url);
  const installed = new URL("node_modules/.package-lock.json", folder);
  const lock = new URL("package-lock.json", folder);
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.log("  Installing what is compared with into tests/bench/peers/node_modules, once.");
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    ...{ cwd: fileURLToPath(folder), stdio: "inherit", shell: process.platform === "win32" },
  });
  if (status !== 0) throw new Error("npm ci failed in tests/bench/peers");
}

/** @param {"langgraph" | "mastra"} name @param {string} url @returns {Promise<Subject>} */
async function peer(name, url) {
  const { default: open } = await import(new URL(`./peers/${name}.mjs`, import.meta.url).href);
  return open(url);
}

/** @param {string} name @param {Subject} subject */
function measured(name, subject) {
  const none = () => /** @type {number[]} */ ([]);
  return { name, subject, times: none(), perSecond: none(), starts: none() };
}

/** @param {Subject} subject @param {string} id */
async function decisionToTool(subject, id) {
  await subject.propose([id]);
  /** @type {Promise<number>} */
  const started = new Promise((resolve) => subject.onTool(() => resolve(performance.now())));
  const start = performance.now();
  await subject.approve(id);
  const time = (await started) - start;
  await subject.settled();
  return time;
}

/** From the first decision until all that it set off has ended. @param {Subject} subject @param {string} name */
async function approvalsPerSecond(subject, name) {
  const ids = Array.from({ length: atOnce }, (_, index) => `${name} ${index}`);
  await subject.propose(ids);
  const ran = new Set();
  subject.onTool((id) => ran.add(id));
  const start = performance.now();
  await Promise.all(ids.map((id) => subject.approve(id)));
  await subject.settled();
  const seconds = (performance.now() - start) / 1000;
  if (ran.size !== atOnce) throw new Error(`${ran.size} of ${atOnce} calls ran`);
  return atOnce / seconds;
}

/** @param {Subject} subject @param {string} id */
async function startsOfOneCall(subject, id) {
  await subject.propose([id]);
  let starts = 0;
  subject.onTool(() => starts++);
  await Promise.allSettled(Array.from({ length: resumers }, () => subject.approve(id)));
  await subject.settled();
  return starts;
}

/** @param {string} url @returns {Promise<Subject>} */
async function countersignSubject(url) {
  const installation = await install(url);
  const { countersign, engine } = installation;
  /** @type {Map<string, import("countersign").Approval>} */
  const calls = new Map();
  return {
    async propose(ids) {
      await Promise.all(ids.map((id) => installation.say({ id })));
      for (const call of await installation.pending()) calls.set(JSON.parse(call.inputJson).id, call);
    },
    async approve(id) {
      const call = calls.get(id);
      if (!call) throw new Error(`${id} does not wait`);
      const { id: approvalId, digest } = call;
      await countersign.decide({ approvalId, principal: finance, type: "approve", digest, reason: null });
    },
    settled: () => engine.idle(),
    onTool: installation.onTool,
    close: installation.close,
  };
}
