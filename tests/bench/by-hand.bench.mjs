import postgres from "postgres";
import { scaled } from "./support/brief.mjs";
import { finance, install } from "./support/installation.mjs";
import { median } from "./support/measure.mjs";
import { startPostgres } from "./support/postgres.mjs";
import { untilPublished } from "./support/published.mjs";
import { sampleApproval } from "./support/sample-approval.mjs";
import { smallestWait } from "./support/smallest-wait.mjs";

/**
 * An approval beside what one would otherwise write by hand and beside the smallest program that waits: in turns, in one
 * process, on the same engine and Postgres. Processor time from the message until the call waits, and from the decision
 * until its run has ended and its events are sent; and how many runs end a second whose calls are decided at once. Postgres'
 * own processor time is not in it.
 */
const rounds = scaled(7, 1);
const callsAtOnce = scaled(60);
const burst = scaled(200);

/**
 * @typedef {object} Subject
 * @property {(ids: string[]) => Promise<unknown>} propose resolves when all of these calls wait
 * @property {() => Promise<string[]>} pending the ids to approve
 * @property {(pending: string[]) => Promise<unknown>} approve resolves when their runs have ended
 * @property {() => Promise<unknown>} [sent] resolves when all events about them are sent
 * @property {() => Promise<unknown>} close
 */

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* byHand() {
  const server = await startPostgres();
  const ours = measured(await countersignSubject(server.url));
  const sample = measured(await sampleSubject(await server.open("sample")));
  const smallest = measured(await smallestSubject(await server.open("smallest")));
  const all = [ours, sample, smallest];
  try {
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round++) {
      for (const { subject, before, after } of startingWith(round, all)) {
        const cost = await costOf(subject, callsAtOnce, `round ${round}`);
        if (round === 0) continue;
        before.push(cost.before);
        after.push(cost.after);
      }
    }
    for (let round = 0; round < 3; round++) {
      for (const { subject, perSecond } of startingWith(round, all)) {
        perSecond.push((await costOf(subject, burst, `burst ${round}`)).perSecond);
      }
    }
  } finally {
    for (const { subject } of all) await subject.close();
    await server.stop();
  }
  const names = /** @type {const} */ ({
    before: "processor time from message to wait",
    after: "processor time from decision to end",
  });
  for (const part of /** @type {const} */ (["before", "after"])) {
    const value = median(ours[part]);
    yield { name: `${names[part]}, smallest wait`, value: median(smallest[part]), unit: "ms" };
    yield { name: `${names[part]}, by hand`, value: median(sample[part]), unit: "ms" };
    const ratio = median(ours[part].map((ms, round) => ms / (sample[part][round] ?? Number.NaN)));
    const aim = part === "before" ? 1.3 : 1;
    yield {
      ...{ name: `${names[part]}, Countersign`, value, unit: "ms", ratioTo: "by hand", ratio },
      ...{ aim: `≤ ${aim} ×`, met: ratio <= aim },
    };
  }
  const rate = `runs that end a second, ${burst} decided at once`;
  yield { name: `${rate}, smallest wait`, value: median(smallest.perSecond), unit: "a second" };
  yield { name: `${rate}, by hand`, value: median(sample.perSecond), unit: "a second" };
  const ratio = median(ours.perSecond) / median(sample.perSecond);
  yield {
    ...{ name: `${rate}, Countersign`, value: median(ours.perSecond), unit: "a second" },
    ...{ ratioTo: "by hand", ratio, aim: "≥ 0.9 ×", met: ratio >= 0.9 },
  };
}

/** @param {Subject} subject */
function measured(subject) {
  /** @type {{ before: number[], after: number[], perSecond: number[] }} */
  const figures = { before: [], after: [], perSecond: [] };
  return { subject, ...figures };
}

/** Milliseconds of processor time for each call, and how many end in a second. @param {Subject} subject @param {number} calls @param {string} name */
async function costOf(subject, calls, name) {
  const start = process.cpuUsage();
  await subject.propose(Array.from({ length: calls }, (_, call) => `${name} ${call}`));
  const before = milliseconds(process.cpuUsage(start)) / calls;
  const pending = await subject.pending();
  if (pending.length !== calls) throw new Error(`${pending.length} calls wait, and not ${calls}`);
  const decided = process.cpuUsage();
  const decidedAt = performance.now();
  await subject.approve(pending);
  const perSecond = (calls * 1000) / (performance.now() - decidedAt);
  await subject.sent?.();
  const after = milliseconds(process.cpuUsage(decided)) / calls;
  return { before, after, perSecond };
}

/**
 * The subjects in another order each round, since what one leaves behind may be collected in the turn of the next.
 *
 * @template T
 * @param {number} round @param {T[]} subjects
 */
function startingWith(round, subjects) {
  const first = round % subjects.length;
  return [...subjects.slice(first), ...subjects.slice(0, first)];
}

/** @param {NodeJS.CpuUsage} usage */
const milliseconds = ({ user, system }) => (user + system) / 1000;

/** @param {string} url @returns {Promise<Subject>} */
async function countersignSubject(url) {
  const installation = await install(url);
  const { countersign, engine } = installation;
  const looking = postgres(url, { max: 1, onnotice: () => {} });
  /** @type {Map<string, string>} */
  const digests = new Map();
  return {
    async propose(ids) {
      await Promise.all(ids.map((id) => installation.say({ id })));
      await engine.idle();
      await untilPublished(looking);
    },
    async pending() {
      const waiting = await installation.pending();
      for (const { id, digest } of waiting) digests.set(id, digest);
      return waiting.map(({ id }) => id);
    },
    async approve(ids) {
      await Promise.all(
        ids.map((approvalId) =>
          countersign.decide({
            ...{ approvalId, principal: finance, type: "approve", reason: null },
            digest: digests.get(approvalId) ?? "",
          }),
        ),
      );
      await engine.idle();
    },
    sent: () => untilPublished(looking),
    async close() {
      await installation.close();
      await looking.end();
    },
  };
}

/** @param {string} url @returns {Promise<Subject>} */
async function sampleSubject(url) {
  const sample = await sampleApproval(url);
  const installation = await install(url, sample.options);
  const { engine, inngest } = installation;
  return {
    async propose(ids) {
      await Promise.all(ids.map((id) => installation.say({ id })));
      await engine.idle();
    },
    pending: sample.pending,
    async approve(eventIds) {
      await Promise.all(eventIds.map((id) => sample.approve(inngest, id)));
      await engine.idle();
    },
    async close() {
      await installation.close();
      await sample.close();
    },
  };
}

/** @param {string} url @returns {Promise<Subject>} */
async function smallestSubject(url) {
  /** @type {Set<string>} */
  const waiting = new Set();
  const smallest = smallestWait((id) => waiting.add(id));
  const installation = await install(url, { plain: true, ...smallest.options });
  const { engine, inngest } = installation;
  return {
    async propose(ids) {
      // The runs before have told their calls again when they continued.
      waiting.clear();
      await Promise.all(ids.map((id) => installation.say({ id })));
      await engine.idle();
    },
    pending: async () => [...waiting],
    async approve(ids) {
      await Promise.all(ids.map((id) => smallest.end(inngest, id)));
      await engine.idle();
    },
    close: () => installation.close(),
  };
}
