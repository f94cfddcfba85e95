import { fork } from "node:child_process";
import { once } from "node:events";
import postgres from "postgres";
import { briefArguments } from "./support/brief.mjs";
import { startPostgres } from "./support/postgres.mjs";

/**
 * What 10,000 calls that wait cost the process that runs agents, API and engine: memory, timers and connections, before
 * they were proposed and while they wait. Their runs are in the database; nothing of them should be in the process.
 */

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* memory() {
  const server = await startPostgres();
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  // Nothing is timed here, and writing ten thousand calls through to the disk takes long.
  await admin`alter database bench set synchronous_commit = off`;
  await admin.end();
  const child = fork(
    new URL("./support/many-pending.mjs", import.meta.url),
    [server.url, ...briefArguments],
    {
      execArgv: ["--expose-gc"],
    },
  );
  const [{ before, after, pending }] = await once(child, "message");
  child.kill();
  await once(child, "exit");
  await server.stop();
  /** @param {"heapUsed" | "rss"} what */
  const each = (what) => (after[what] - before[what]) / pending;
  yield { name: "calls that wait", value: pending, unit: "calls" };
  yield { name: "memory of a call that waits: heap", value: each("heapUsed"), unit: "bytes" };
  yield { name: "memory of a call that waits: resident", value: each("rss"), unit: "bytes" };
  for (const what of ["timers", "connections"]) {
    yield {
      name: `${what} with calls that wait`,
      value: after[what],
      unit: what,
      ratioTo: "none waiting",
      ratio: after[what] / before[what],
      aim: "as many",
      met: after[what] <= before[what],
    };
  }
}
