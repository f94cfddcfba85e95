import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ApprovalView } from "countersign/hono";
import { approvalDigest } from "countersign/internal";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { eventually, type Harness } from "../support/harness.js";
import { openWaitingRefundOn } from "../support/waiting-refund.js";
import { wakeUpTokenIn } from "../support/wake-up-token.js";
import { copyWaitingRun } from "./many-waiting-runs.js";

const few = 100;
const many = 10_000;
/** The number of calls that the measured process proposes itself. */
const own = 50;
const poolSize = 4;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** The heap's bytes once nothing more can be collected. Memory that is kept for each call would remain in it. */
async function settledHeap(): Promise<number> {
  for (let least = Number.POSITIVE_INFINITY; ; ) {
    collectGarbage();
    const { heapUsed } = process.memoryUsage();
    if (heapUsed >= least) return least;
    least = heapUsed;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Moves the clock by a quarter of an hour, with the relay at work and somebody listing the pending approvals. */
async function hold(harness: Harness): Promise<void> {
  for (const _minutes of [5, 10, 15]) {
    await harness.clock.advance("5m");
    await harness.engine.idle();
    await harness.call("finance", "/approvals?status=pending&limit=100");
  }
}

it(`an installation holds ${many} pending approvals with the timers, connections and memory of ${few}`, async () => {
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

  // This process proposes these calls itself, so it would keep a timer for each of them if the code did so.
  const alone = await measure();
  await Promise.all(Array.from({ length: own }, () => harness.say("Refund A-1")));
  await eventually(
    async () => ((await waitingCount()) === 1 + own ? true : undefined),
    "their calls wait",
    120_000,
  );
  await harness.engine.idle();
  expect((await measure()).timers).toBeLessThan(alone.timers + own);

  // These are copies, as if other processes had left them. The relay, the engine and the API read them.
  await copyWaitingRun(database.admin, ids, { from: 1, to: few - own - 1 });
  await measure();
  const before = await measure();
  expect(before.waiting).toBe(few);
  await copyWaitingRun(database.admin, ids, { from: few - own, to: many - own - 1 });
  const after = await measure();
  expect(after.waiting).toBe(many);
  // The pool's connections, and the one of this test.
  expect(after.connections).toBeLessThanOrEqual(poolSize + 1);
  expect(after.timers).toBeLessThan(before.timers + own);
  // One timer for each would take about as many bytes.
  expect((after.heap - before.heap) / (many - few)).toBeLessThan(200);

  // Any of the copies can be decided, and its own run then continues.
  const lastId = `${approval.id}-${many - own - 1}`;
  const copy = await harness.store.getApproval("acme", lastId);
  if (!copy) throw new Error(`There is no copy ${lastId}`);
  // The digest covers the ids, which are the copy's own.
  await database.admin`
    update countersign.approvals set digest = ${approvalDigest(copy)} where id = ${lastId}`;
  // And so is the token that its run waits for.
  const [token, copied] = await Promise.all(
    [approval.requestId, copy.requestId].map((requestId) => wakeUpTokenIn(harness.store, requestId)),
  );
  await database.admin`
    update local_engine.wait set expression = replace(expression, ${token ?? ""}, ${copied ?? ""}),
      demands = replace(demands, ${token ?? ""}, ${copied ?? ""})
    where run_id = ${`${orchestrator?.id}-${many - own - 1}`}`;
  const last: ApprovalView = (await harness.call("finance", `/approvals/${lastId}`)).body;
  expect((await harness.decide(last, "deny")).status).toBe(200);
  await eventually(async () => {
    const { status } = await harness.runStatus(`${orchestrator?.id}-${many - own - 1}`);
    return status === "Completed" ? status : undefined;
  }, "its orchestrator ends");
}, 240_000);
