import { createTool } from "@inngest/agent-kit";
import type { ApprovalView } from "countersign/hono";
import { beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { eventually, openHarness } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { backUp, runRestored } from "../support/postgres/backup.js";
import { createRole } from "../support/postgres/documented-roles.js";
import { proposeCall } from "../support/proposals.js";
import { storeVerbs } from "../support/store.js";
import { withoutRelay } from "../support/without-relay.js";

const refunds: number[] = [];
const refund = createTool({
  name: "refund",
  parameters: z.object({ amount: z.number() }),
  handler: ({ amount }) => refunds.push(amount),
});

beforeAll(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});

async function openDesk(options: Partial<HarnessOptions> = {}) {
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
    const [due] = await database.admin`
      select count(*)::int as count from local_engine.queue_item where due_at <= ${harness.clock.now()}`;
    return due?.count === 0;
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
    /** Advances the clock by a second whenever the engine is idle, until `look` returns true. */
    passUntil: (look: () => Promise<boolean>, what: string) =>
      eventually(
        async () => {
          while (!(await look())) {
            if (!(await isIdle())) return undefined;
            await harness.clock.advance("1s");
          }
          return true;
        },
        what,
        120_000,
      ),
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

type Desk = Awaited<ReturnType<typeof openDesk>>;

/** Waits until a canary has answered, so that a later loss can be detected. */
const watched = (desk: Desk) => desk.passUntil(() => desk.canaryAnswers(), "the canary's answer");

/** Waits until the call of a lost run is withdrawn. */
const isWithdrawn = (desk: Desk, { id }: ApprovalView) =>
  desk.passUntil(async () => (await desk.approval(id)).status === "withdrawn", "the end of the lost call");

it("the call of a lost run is withdrawn, readiness is degraded, and new messages get runs", async () => {
  await using desk = await openDesk();
  const { threadId } = await desk.say("refund 80");
  const call = await desk.onlyPending();
  await watched(desk);
  expect(await desk.readiness()).toEqual({ status: "ready" });

  await desk.forget();
  await isWithdrawn(desk, call);
  expect(await desk.approval(call.id)).toMatchObject({ withdrawalCause: "run_lost" });
  expect(await desk.decide(call, "approve")).toMatchObject({ status: 409 });
  expect(await storeVerbs(desk.countersign.store).getThread("acme", threadId)).toMatchObject({
    status: "failed",
  });
  expect(await desk.readiness()).toEqual({ status: "degraded", problems: ["runs_lost"] });
  const trail = await storeVerbs(desk.countersign.store).auditTrail("acme", call.id);
  expect(trail.at(-2)).toMatchObject({ type: "approval.withdrawn", data: { cause: "run_lost" } });
  expect(trail.at(-1)).toMatchObject({ type: "decision.refused" });

  const { runId } = await desk.say("refund 5");
  const next = await desk.nextPending(call);
  await desk.decide(next, "approve");
  await desk.ended(runId);
  expect(refunds).toEqual([5]);
});

it.each([
  { restored: "the database", options: [] },
  { restored: "the engine", options: ["--engine"] },
])(
  "calls of runs that the engine lacks after a restore of $restored are withdrawn, and others wait on",
  async ({ options }) => {
    await using desk = await openDesk();
    await using role = await createRole(desk.database);
    await role.giveRights();
    const ended = await desk.say("refund 80");
    const call = await desk.onlyPending();
    const waiting = await desk.say("refund 5");
    const waitingCall = await desk.nextPending(call);
    await watched(desk);
    await answersProbe(desk, call);
    await answersProbe(desk, waitingCall);
    // The search that the first canary has started ends.
    await desk.clock.advance("5m");
    await desk.engine.idle();
    // The database remembers a call whose run has ended, or which the engine never knew.
    const restore = await backUp(desk.database.admin);
    await desk.decide(call, "deny");
    await desk.ended(ended.runId);
    await restore();
    await runRestored(role.url, ...options);
    await isWithdrawn(desk, call);
    expect(await desk.approval(call.id)).toMatchObject({ withdrawalCause: "run_lost" });
    expect(await desk.approval(waitingCall.id)).toMatchObject({ status: "pending" });
    await desk.decide(waitingCall, "approve");
    await desk.ended(waiting.runId);
    expect(refunds).toEqual([5]);
  },
);

it("the waiting calls of another app on the same database stay when this app loses its runs", async () => {
  await using desk = await openDesk();
  await desk.say("refund 80");
  const call = await desk.onlyPending();
  const [waiting] = await proposeCall(desk.store, { appId: "another" });
  const [approved] = await proposeCall(desk.store, { appId: "another", verdict: "notify" });
  await watched(desk);
  await desk.forget();
  await isWithdrawn(desk, call);
  expect(await desk.approval(waiting?.id ?? "")).toMatchObject({ status: "pending" });
  expect(await desk.approval(approved?.id ?? "")).toMatchObject({ status: "approved" });
});

it("calls whose runs are lost before the first check are withdrawn within four minutes", async () => {
  await using desk = await openDesk();
  await desk.say("refund 80");
  await desk.say("refund 5");
  const calls = await desk.pending(2);
  expect(await desk.canaries()).toEqual([]);
  await desk.forget();
  const lostAt = desk.clock.now();
  expect(await desk.decide(calls[0] as ApprovalView, "approve")).toMatchObject({ status: 200 });
  const cause = async ({ id }: ApprovalView) => (await desk.approval(id)).withdrawalCause;
  await desk.passUntil(
    async () => (await Promise.all(calls.map(cause))).every((found) => found === "run_lost"),
    "the end of both calls",
  );
  expect(desk.clock.now() - lostAt).toBeLessThan(240_000);
  expect(await desk.readiness()).toEqual({ status: "degraded", problems: ["runs_lost"] });
  expect(refunds).toEqual([]);
});

it("the first canary starts a minute later if the engine loses its first event, and the waiting run goes on", async () => {
  let lost = 0;
  await using desk = await openDesk({
    onEvent: ({ name }) => (name === "countersign/canary.started" && lost++ === 0 ? "drop" : "deliver"),
  });
  const { runId } = await desk.say("refund 80");
  const call = await desk.onlyPending();
  await desk.passUntil(async () => (await desk.probes(call.requestId)).rounds > 1, "the run's answer");
  expect(lost).toBe(2);
  expect(await desk.approval(call.id)).toMatchObject({ status: "pending" });
  await desk.decide(call, "approve");
  await desk.ended(runId);
  expect(refunds).toEqual([80]);
});

it("a call whose run is lost just before its canary is replaced after its last check is withdrawn", async () => {
  await using desk = await openDesk();
  await desk.say("refund 80");
  const call = await desk.onlyPending();
  await watched(desk);
  await desk.beforeLastCheck();
  await desk.forget();
  await isWithdrawn(desk, call);
  expect(await desk.approval(call.id)).toMatchObject({ withdrawalCause: "run_lost" });
});

it("a canary ends after its last check, another replaces it, and no run is woken for that", async () => {
  await using desk = await openDesk();
  await desk.say("refund 80");
  const call = await desk.onlyPending();
  await watched(desk);
  await answersProbe(desk, call);
  const first = await desk.canaryId();
  // The search may have woken the run more than once before it answered.
  await desk.clock.advance("1m");
  await desk.engine.idle();
  const { rounds } = await desk.probes(call.requestId);
  await desk.beforeLastCheck();
  await desk.passUntil(async () => (await desk.canaryId()) !== first, "another canary");
  await desk.clock.advance("5m");
  await desk.engine.idle();
  expect((await desk.canaries()).map(({ status }) => status)).toEqual(["Completed", "Running"]);
  expect(await desk.probes(call.requestId)).toMatchObject({ rounds });
});

it("a call that is approved after the engine lost its run is withdrawn", async () => {
  await using desk = await openDesk();
  await desk.say("refund 80");
  const call = await desk.onlyPending();
  await watched(desk);
  await desk.forget();
  expect(await desk.decide(call, "approve")).toMatchObject({ status: 200 });
  await isWithdrawn(desk, call);
  expect(await desk.approval(call.id)).toMatchObject({ withdrawalCause: "run_lost" });
  expect(refunds).toEqual([]);
});

it("a waiting run goes on when only the canary is lost", async () => {
  await using desk = await openDesk();
  const { runId } = await desk.say("refund 80");
  const call = await desk.onlyPending();
  await watched(desk);
  const { rounds } = await answersProbe(desk, call);
  const [canary] = await desk.canaries();
  await desk.forget("%canary");
  await desk.passUntil(async () => (await desk.canaries()).length > 1, "a second canary");
  await answersProbe(desk, call, rounds);
  expect(await desk.approval(call.id)).toMatchObject({ status: "pending" });
  expect(canary).toBeDefined();
  await desk.decide(call, "approve");
  await desk.ended(runId);
  expect(refunds).toEqual([80]);
});

/** Waits until the waiting run has answered a probe of its round `since` or a later one. */
async function answersProbe(desk: Desk, { requestId }: ApprovalView, since = 1) {
  await desk.passUntil(async () => {
    const { rounds, probed } = await desk.probes(requestId);
    return probed >= since && rounds > probed;
  }, "the waiting run's answer");
  return desk.probes(requestId);
}

it("a run that was mistaken for lost can request approval again", async () => {
  await using desk = await openDesk({
    reply: ({ messages }) => {
      const asked = messages.filter((message) => message.role === "assistant").length;
      if (asked === 2) return { text: "Done." };
      return { toolCalls: [{ name: "refund", input: { amount: asked === 0 ? 80 : 5 } }] };
    },
  });
  const { runId } = await desk.say("refund twice");
  const first = await desk.onlyPending();
  await storeVerbs(desk.countersign.store).withdrawRun(runId, "run_lost");
  const isAskedAgain = async () => {
    const { body } = await desk.call("finance", "/approvals?status=pending");
    return body.items.length === 1;
  };
  await desk.passUntil(isAskedAgain, "the second question");
  const second = await desk.onlyPending();
  await desk.decide(second, "approve");
  await desk.ended(runId);
  expect(await desk.approval(first.id)).toMatchObject({ withdrawalCause: "run_lost" });
  expect(refunds).toEqual([5]);
});

it("a run that is mistaken for lost is woken and completes within a minute", async () => {
  let judged = false;
  await using desk = await openDesk({
    onEvent: ({ name }) => (name === "countersign/request.wake-up" && !judged ? "drop" : "deliver"),
    between: (store) =>
      interceptedStore(store, {
        withdrawRun: (carryOut, ...args) => {
          judged = true;
          return carryOut(...args);
        },
      }),
  });
  const { runId } = await desk.say("refund 80");
  const call = await desk.onlyPending();
  await watched(desk);
  await desk.forget("%canary");
  await desk.passUntil(async () => judged, "the verdict");
  const judgedAt = desk.clock.now();
  await desk.passUntil(
    async () => (await desk.runStatus(runId)).status === "Completed",
    "the end of the run",
  );
  expect(desk.clock.now() - judgedAt).toBeLessThan(60_000);
  expect(await desk.approval(call.id)).toMatchObject({ withdrawalCause: "run_lost" });
  expect(refunds).toEqual([]);
});

it("a waiting run goes on although most events of it and of its canary are lost", async () => {
  let dropped = 0;
  await using desk = await openDesk({
    onEvent: ({ name }) => {
      const isLost = name.startsWith("countersign/") && watchedOnce && dropped++ % 3 !== 2;
      return isLost ? "drop" : "deliver";
    },
  });
  let watchedOnce = false;
  const { runId } = await desk.say("refund 80");
  const call = await desk.onlyPending();
  await watched(desk);
  watchedOnce = true;
  for (let minute = 0; minute < 10; minute++) await desk.clock.advance("1m");
  watchedOnce = false;
  expect(await desk.approval(call.id)).toMatchObject({ status: "pending" });
  await desk.decide(call, "approve");
  await desk.ended(runId);
  expect(refunds).toEqual([80]);
});

it("the call of an invoked run is withdrawn when the invoking run is cancelled", async () => {
  let asked = 0;
  await using desk = await openDesk({
    run: async ({ countersign, step, message, agent }) => {
      if (message.startsWith("invoked")) {
        countersign.guard(agent);
        await agent.run("refund 7");
        return "child";
      }
      asked += 1;
      return step.invoke("child", {
        function: desk.inngest.createFunction({ id: "agent", triggers: [] }, () => "unused"),
        data: { message: "invoked: refund 7", threadId: "t" },
      });
    },
  });
  const { runId } = await desk.say("start");
  const call = await desk.onlyPending();
  expect(asked).toBeGreaterThan(0);
  await desk.engine.fetch(`${desk.engine.baseUrl}/v1/runs/${runId}`, { method: "DELETE" });
  await eventually(
    async () => ((await desk.approval(call.id)).status === "withdrawn" ? true : undefined),
    "the child's call is withdrawn",
  );
  expect(await desk.decide(call, "approve")).toMatchObject({ status: 409 });
  expect(refunds).toEqual([]);
});

it("a lost wake-up is sent again without the relay", async () => {
  let lost = 0;
  await using desk = await openDesk({
    served: withoutRelay,
    onEvent: ({ name }) => {
      if (name !== "countersign/request.wake-up" || lost > 0) return "deliver";
      lost += 1;
      return "drop";
    },
  });
  const { runId } = await desk.say("refund 80");
  await desk.decide(await desk.onlyPending(), "approve");
  await desk.ended(runId);
  expect(lost).toBe(1);
  expect(refunds).toEqual([80]);
});
