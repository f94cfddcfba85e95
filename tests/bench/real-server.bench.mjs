import { setTimeout as sleep } from "node:timers/promises";
import { postgresStore } from "countersign/postgres";
import postgres from "postgres";
import { createArrivals } from "./support/arrivals.mjs";
import { scaled } from "./support/brief.mjs";
import { distantPostgres } from "./support/distant-postgres.mjs";
import { finance, install } from "./support/installation.mjs";
import { median } from "./support/measure.mjs";
import { startPostgres } from "./support/postgres.mjs";
import { smallestWait } from "./support/smallest-wait.mjs";

/**
 * Turns of a guarded agent on an Inngest server, beside the smallest program that waits on plain AgentKit. Both are apps of
 * the same server, and take turns.
 */
const rounds = scaled(25);
const atOnce = scaled(200, 3);
const roundTripMs = 20;
const connections = scaled(5);
/** Until a server has registered what a run waits for, and has nothing to do any more. */
const restMs = 150;
/** How often a Dev Server looks into its queue. */
const tickMs = 150;
const patienceMs = 120_000;

const serverUrl = process.env.INNGEST_BASE_URL ?? "";

export const leftOutBecause = serverUrl
  ? undefined
  : "INNGEST_BASE_URL does not say where an Inngest Dev Server is";

/** @typedef {import("./support/measure.mjs").Result} Result */
/** @typedef {Awaited<ReturnType<typeof openPlain>>} Subject */

/** @returns {AsyncGenerator<Result>} */
export default async function* realServer() {
  const server = await startPostgres();
  /** @type {{ close: () => unknown }[]} */
  const opened = [];
  try {
    const plain = await openPlain(await server.open("plain"));
    opened.push(plain);
    const guarded = await openGuarded("bench-guarded", server.url);
    opened.push(guarded);
    yield* oneByOne(plain, guarded);
    yield* withoutGatedCalls(plain, guarded);
    yield* together(plain, guarded);

    const url = await server.open("distant");
    const distance = await distantPostgres(url);
    opened.push(distance);
    const distant = await openGuarded("bench-distant", distance.url, url);
    opened.push(distant);
    yield* farFromTheDatabase(distant, distance);
  } finally {
    for (const subject of opened.reverse()) await subject.close();
    await server.stop();
  }
}

/** @param {Subject} plain @param {Subject} guarded @returns {AsyncGenerator<Result>} */
async function* oneByOne(plain, guarded) {
  const times = [plain, guarded].map((subject) => ({
    ...{ subject, waiting: /** @type {number[]} */ ([]), tool: /** @type {number[]} */ ([]) },
  }));
  for (let round = -1; round < rounds; round++) {
    for (const { subject, waiting, tool } of times) {
      const turn = await gatedTurn(subject, { id: `turn ${round}` }, round);
      if (round < 0) continue;
      waiting.push(turn.waiting);
      tool.push(turn.tool);
    }
  }
  for (const [what, name, aim] of /** @type {const} */ ([
    ["waiting", "message to wait", 0.9],
    ["tool", "decision to tool", 0.75],
  ])) {
    const [least, ours] = times.map((measured) => median(measured[what]));
    yield* beside("smallest program", `Inngest server, ${name}`, "ms", [least, ours], aim);
  }
}

/** @param {Subject} plain @param {Subject} guarded @returns {AsyncGenerator<Result>} */
async function* withoutGatedCalls(plain, guarded) {
  const measured = [plain, guarded].map((subject) => ({
    ...{ subject, times: /** @type {number[]} */ ([]), requests: /** @type {number[]} */ ([]) },
  }));
  for (let round = -1; round < rounds; round++) {
    for (const { subject, times, requests } of measured) {
      const id = `ungated ${round}`;
      const before = subject.requests();
      const start = performance.now();
      await subject.installation.say({ id, tool: "lookup", turns: 2 });
      const end = (await subject.at("end", id)) - start;
      const sent = subject.requests() - before;
      await rest(round);
      if (round < 0) continue;
      times.push(end);
      requests.push(sent);
    }
  }
  const name = "Inngest server, turn without gated calls";
  const times = measured.map((subject) => median(subject.times));
  yield* beside("plain AgentKit", `${name}: time`, "ms", times, 1.03);
  const requests = measured.map((subject) => median(subject.requests));
  yield* beside("plain AgentKit", `${name}: requests to the engine`, "requests", requests, 1);
}

/** @param {Subject} plain @param {Subject} guarded @returns {AsyncGenerator<Result>} */
async function* together(plain, guarded) {
  /** @type {{ last: number, decided: number }[]} */
  const times = [];
  for (const { installation, at, waiting, wake } of [plain, guarded]) {
    const ids = Array.from({ length: atOnce }, (_, n) => `together ${n}`);
    await Promise.all(ids.map((id) => installation.say({ id })));
    await waiting(ids);
    await sleep(1000);
    const start = performance.now();
    await Promise.all(ids.map(wake));
    const decided = performance.now() - start;
    const last = Math.max(...(await Promise.all(ids.map((id) => at("tool", id))))) - start;
    await Promise.all(ids.map((id) => at("end", id)));
    times.push({ last, decided });
  }
  const name = `Inngest server, ${atOnce} decided at once`;
  const last = times.map((time) => time.last / 1000);
  yield* beside("smallest program", `${name}: last tool`, "s", last, 1.2);
  const decided = (times[1]?.decided ?? Number.NaN) / 1000;
  yield { name: `${name}: last decision answered`, value: decided, unit: "s" };
}

/**
 * @param {Subject} distant
 * @param {Awaited<ReturnType<typeof distantPostgres>>} distance
 * @returns {AsyncGenerator<Result>}
 */
async function* farFromTheDatabase(distant, { counted, moveTo }) {
  // Each connection prepares each statement once, which takes another round trip.
  for (let n = 0; n < connections; n++) await gatedTurn(distant, { id: `warm up ${n}`, history: true }, 0);
  moveTo(roundTripMs);
  const measured = [false, true].map((history) => ({
    ...{ history, waiting: /** @type {number[]} */ ([]), roundTrips: /** @type {number[]} */ ([]) },
  }));
  for (let round = 0; round < 3; round++) {
    for (const { history, waiting, roundTrips } of measured) {
      const before = counted.roundTrips;
      const turn = await gatedTurn(distant, { id: `${history} ${round}`, history }, round);
      roundTrips.push(counted.roundTrips - before);
      waiting.push(turn.waiting);
    }
  }
  for (const { history, waiting, roundTrips } of measured) {
    const trips = median(roundTrips);
    const seconds = median(waiting) / 1000;
    const kept = history ? ", conversation kept" : "";
    yield {
      ...{ name: `Inngest server, round trips to the database of a gated turn${kept}`, value: trips },
      ...{ unit: "round trips", ...(!history && { aim: "≤ 20", met: trips <= 20 }) },
    };
    yield {
      ...{ name: `Inngest server, message to wait, ${roundTripMs} ms from the database${kept}` },
      ...{ value: seconds, unit: "s", ...(!history && { aim: "≤ 0.75 s", met: seconds <= 0.75 }) },
    };
  }
}

/**
 * @param {Subject} subject
 * @param {{ id: string, history?: boolean }} message
 * @param {number} round
 */
async function gatedTurn({ installation, at, waiting, wake }, message, round) {
  const { id } = message;
  const said = performance.now();
  await installation.say({ ...message, turns: 2 });
  const waits = await waiting([id]);
  await rest(round);
  const decided = performance.now();
  await wake(id);
  const tool = await at("tool", id);
  await at("end", id);
  await rest(round);
  return { waiting: waits - said, tool: tool - decided };
}

/**
 * The server works in ticks, and runs end with one. So each round begins at another point between two ticks, and all
 * subjects at the same ones.
 *
 * @param {number} round
 */
function rest(round) {
  return sleep(restMs + (tickMs * (Math.max(round, 0) + 0.5)) / rounds);
}

/**
 * @param {string} ratioTo
 * @param {string} name
 * @param {string} unit
 * @param {readonly (number | undefined)[]} values theirs and ours
 * @param {number} aim
 * @returns {Generator<Result>}
 */
function* beside(ratioTo, name, unit, [theirs = Number.NaN, ours = Number.NaN], aim) {
  const ratio = ours / theirs;
  yield { name: `${name}, ${ratioTo}`, value: theirs, unit };
  yield { name: `${name}, guarded`, value: ours, unit, ratioTo, ratio, aim: `≤ ${aim} ×`, met: ratio <= aim };
}

/** The smallest program that waits. @param {string} url */
async function openPlain(url) {
  const arrivals = createArrivals(patienceMs);
  const wait = smallestWait((id) => arrivals.arrive("wait", id));
  const app = await openApp("bench-plain", url, arrivals, { plain: true, ...wait.options });
  return {
    ...app,
    /** When the last of these calls waits. @param {readonly string[]} ids */
    waiting: async (ids) => Math.max(...(await Promise.all(ids.map((id) => arrivals.at("wait", id))))),
    /** @param {string} id @returns {Promise<unknown>} */
    wake: (id) => wait.end(app.installation.inngest, id),
  };
}

/**
 * @param {string} appId
 * @param {string} url
 * @param {string} [nearUrl] the same database without the distance
 * @returns {Promise<Subject>}
 */
async function openGuarded(appId, url, nearUrl = url) {
  // What only looks, and what nobody waits for, does not cross the distance.
  const near = postgres(nearUrl, { max: 3, connection: { "countersign.all_tenants": "on" } });
  const app = await openApp(appId, url, createArrivals(patienceMs), {
    limits: { pendingPerRequester: 1000, pendingPerTenant: 1000 },
    publisherStore: postgresStore({ client: near }),
  });
  /** @type {Map<string, { id: string, digest: string }>} */
  const pending = new Map();
  return {
    ...app,
    async waiting(ids) {
      for (;;) {
        const calls = await near`
          select thread_id, id, digest from countersign.approvals where status = 'pending'`;
        for (const { thread_id, id, digest } of calls) pending.set(thread_id, { id, digest });
        if (ids.every((id) => pending.has(id))) return performance.now();
        await sleep(ids.length > 1 ? 100 : 5);
      }
    },
    async wake(id) {
      const call = pending.get(id);
      if (!call) throw new Error(`${id} does not wait`);
      const { id: approvalId, digest } = call;
      const decision = { approvalId, principal: finance, digest, reason: null };
      await app.installation.countersign.decide({ ...decision, type: "approve" });
    },
    async close() {
      await app.close();
      await near.end();
    },
  };
}

/**
 * @param {string} appId
 * @param {string} url
 * @param {import("./support/arrivals.mjs").Arrivals} arrivals
 * @param {import("./support/installation.mjs").InstallationOptions} options
 */
async function openApp(appId, url, arrivals, options) {
  let requests = 0;
  const installation = await install(url, {
    ...{ serverUrl, appId, ...options },
    onTraffic: (_, kind) => {
      if (kind === "to engine") requests++;
    },
  });
  installation.onTool((id) => arrivals.arrive("tool", id));
  installation.onEnd((id) => arrivals.arrive("end", id));
  return { installation, at: arrivals.at, requests: () => requests, close: installation.close };
}
