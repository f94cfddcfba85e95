// Lets 10,000 calls wait on the Postgres of the first argument, and tells what that costs this process.

import { scaled } from "./brief.mjs";
import { install } from "./installation.mjs";

const callsOfOne = 20;
const responses = scaled(500);
// Until the pools have opened what they open, which is not what is looked at here.
const warmUp = 40;
const atOnce = 10;

const installation = await install(process.argv[2] ?? "", {
  limits: { pendingPerRequester: 100_000, pendingPerTenant: 100_000 },
});
await propose(0, warmUp);
const before = await look();
await propose(warmUp, responses);
const after = await look();
process.send?.({ before, after, pending: after.pending - before.pending });

/** @param {number} first @param {number} count */
async function propose(first, count) {
  for (let n = first; n < first + count; n += atOnce) {
    for (let i = n; i < Math.min(n + atOnce, first + count); i++) {
      await installation.say({ id: `message ${i}`, calls: callsOfOne });
    }
    await installation.engine.idle();
  }
}

async function look() {
  const [open] =
    await installation.sql`select count(*)::int as connections from pg_stat_activity where datname = current_database()`;
  for (let n = 0; n < 5; n++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, rss } = process.memoryUsage();
  return {
    heapUsed,
    rss,
    timers: process.getActiveResourcesInfo().filter((name) => name === "Timeout").length,
    connections: Number(open?.connections),
    pending: (await installation.pending()).length,
  };
}
