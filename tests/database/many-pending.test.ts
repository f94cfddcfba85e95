import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ApprovalView } from "countersign/hono";
import { expect, it } from "vitest";
import { approvalDigest } from "../../packages/countersign/src/approval/approval-digest.js";
import { freshPostgres } from "../support/databases.js";
import { eventually, type Harness } from "../support/harness.js";
import { openWaitingRefundOn } from "../support/waiting-refund.js";
import { copyWaitingRun } from "./many-waiting-runs.js";

const few = 100;
const many = 10_000;
/** How many of them come about in the process that is looked at. */
const own = 50;
const poolSize = 4;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes in use once nothing more can be collected: what is kept for each call would stay, whatever is waited for. */
async function settledHeap(): Promise<number> {
  for (let least = Number.POSITIVE_INFINITY; ; ) {
    collectGarbage();
    const { heapUsed } = process.memoryUsage();
    if (heapUsed >= least) return least;
    least = heapUsed;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lets a quarter of an hour pass, with the relay at work and somebody looking at what waits. */
async function hold(harness: Harness): Promise<void> {
  for (const _minutes of [5, 10, 15]) {
    await harness.clock.advance("5m");
    await harness.engine.idle();
    await harness.call("finance", "/approvals?status=pending&limit=100");
  }
}

it(`holds ${many} pending approvals with the timers, connections and memory of ${few}`, async () => {
  await using database = await freshPostgres(poolSize);
  await using world = await openWaitingRefundOn(database, { countersign: { timeout: "7d" } });
  const { harness, approval, runId } = world;
  await harness.engine.idle();
  const [orchestrator] = await harness.functionRuns("countersign-orchestrator");
  const ids = [runId, orchestrator?.id ?? "", approval.requestId, approval.id];

  const waitingCount = async () => {
    const [row] = await database.admin<{ count: number }[]>`
      select count(*)::int from countersign.approvals where status = 'pending'`;
    return row?.count;
  };
  const measure = async () => {
    await hold(harness);
    const [row] = await database.admin<{ connections: number }[]>`
      select count(*)::int as connections from pg_stat_activity where datname = current_database()`;
    const heap = await settledHeap();
    const timers = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    return {
      waiting: await waitingCount(),
      connections: row?.connections,
      timers,
      heap,
    };
  };

  // These come about in this process, so it would be here that something were kept for each.
  const alone = await measure();
  await Promise.all(Array.from({ length: own }, () => harness.say("Refund A-1")));
  await eventually(
    async () => ((await waitingCount()) === 1 + own ? true : undefined),
    "their calls wait",
    120_000,
  );
  await harness.engine.idle();
  expect((await measure()).timers).toBeLessThan(alone.timers + own);

  // These are copies, as if other processes had left them, which the relay, the engine and the API go over.
  await copyWaitingRun(database.admin, ids, { from: 1, to: few - own - 1 });
  await measure();
  const before = await measure();
  expect(before.waiting).toBe(few);
  await copyWaitingRun(database.admin, ids, { from: few - own, to: many - own - 1 });
  const after = await measure();
  expect(after.waiting).toBe(many);
  // The pool, and the one by which this test looks.
  expect(after.connections).toBeLessThanOrEqual(poolSize + 1);
  expect(after.timers).toBeLessThan(before.timers + own);
  // A timer alone takes about as much for each.
  expect((after.heap - before.heap) / (many - few)).toBeLessThan(200);

  // And they are no dead weight: any one of them can be decided, and its own run goes on.
  const lastId = `${approval.id}-${many - own - 1}`;
  const copy = await harness.store.getApproval("acme", lastId);
  if (!copy) throw new Error(`There is no copy ${lastId}`);
  // The digest covers the ids, which are the copy's own.
  await database.admin`
    update countersign.approvals set digest = ${approvalDigest(copy)} where id = ${lastId}`;
  const last: ApprovalView = (await harness.call("finance", `/approvals/${lastId}`)).body;
  expect((await harness.decide(last, "deny")).status).toBe(200);
  await eventually(async () => {
    const { status } = await harness.runStatus(`${orchestrator?.id}-${many - own - 1}`);
    return status === "Completed" ? status : undefined;
  }, "its orchestrator ends");
}, 240_000);
