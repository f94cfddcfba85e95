import { createTool } from "@inngest/agent-kit";
import type { ApprovalView } from "countersign/hono";
import { expect } from "vitest";
import { z } from "zod";
import { freshPostgres } from "./databases.js";
import { eventually, openHarness } from "./harness.js";
import type { HarnessOptions } from "./harness-options.js";

/** The amounts that the tool of the desk has refunded. */
export const refunds: number[] = [];
const refund = createTool({
  name: "refund",
  parameters: z.object({ amount: z.number() }),
  handler: ({ amount }) => refunds.push(amount),
});

/** A desk whose engine can lose its runs. */
export async function openLosingDesk(options: Partial<HarnessOptions> = {}) {
  refunds.length = 0;
  const database = await freshPostgres();
  const harness = await openHarness({
    database,
    tools: [refund],
    reply: ({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "user"
        ? {
            toolCalls: [{ name: "refund", input: { amount: Number(/\d+/.exec(JSON.stringify(last))?.[0]) } }],
          }
        : { text: "Done." };
    },
    ...options,
  });
  const isIdle = async () => {
    const [next] = await database.admin`select min(due_at)::float8 as due from local_engine.queue_item`;
    // The time after the read: with one from before, an item that was written in between would count as not yet due.
    return next?.due === null || next?.due > harness.clock.now();
  };
  return {
    ...harness,
    database,
    /** Makes the engine lose all runs, or those of one function, while it still lists them as running. */
    async forget(functionId = "%") {
      await eventually(async () => (await isIdle()) || undefined, "an idle engine");
      const runs = database.admin`select id from local_engine.run where status = 'Running' and function_id like ${functionId}`;
      await database.admin`delete from local_engine.queue_item where run_id in (${runs})`;
      await database.admin`delete from local_engine.wait where run_id in (${runs})`;
    },
    /** Advances the clock by a step whenever the engine is idle, until `look` returns true. */
    passUntil: (look: () => Promise<boolean>, what: string, step = "15s") =>
      eventually(
        async () => {
          while (!(await look())) {
            if (!(await isIdle())) return undefined;
            await harness.clock.advance(step);
          }
          return true;
        },
        what,
        120_000,
      ),
    /** The status of a call, without the many statements of a request to the API. */
    async statusOf(id: string) {
      const [call] = await database.admin`select status from countersign.approvals where id = ${id}`;
      return String(call?.status);
    },
    async canaryAnswers() {
      const [watch] = await database.admin`select answered_at from countersign.engine_watch`;
      return Boolean(watch?.answered_at);
    },
    async canaryId() {
      const [watch] = await database.admin`select canary_id from countersign.engine_watch`;
      return String(watch?.canary_id);
    },
    /** Lets the next check of the present canary be its last one. */
    async beforeLastCheck() {
      await database.admin`update countersign.engine_watch set checks = 199`;
    },
    /** The rounds of a waiting run, and the round in which it was last probed, or 0. No orchestrator may have ended. */
    async probes(requestId: string) {
      const runs = await harness.functionRuns("countersign-orchestrator");
      expect(runs.every(({ status }) => status === "Running")).toBe(true);
      const [request] = await database.admin`
        select rounds, coalesce(probed_round, 0) as probed from countersign.requests where id = ${requestId}`;
      return { rounds: Number(request?.rounds), probed: Number(request?.probed) };
    },
    canaries: () => harness.functionRuns("countersign-canary"),
    readiness: async () => (await harness.call("finance", "/readyz")).body,
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

export type LosingDesk = Awaited<ReturnType<typeof openLosingDesk>>;

/** Waits until a canary has answered, so that a later loss can be detected. */
export const watched = (desk: LosingDesk) =>
  desk.passUntil(() => desk.canaryAnswers(), "the canary's answer");

/** Waits until the call of a lost run is withdrawn. */
export const isWithdrawn = (desk: LosingDesk, { id }: ApprovalView) =>
  desk.passUntil(async () => (await desk.statusOf(id)) === "withdrawn", "the end of the lost call");
