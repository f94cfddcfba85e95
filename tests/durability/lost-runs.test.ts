import type { ApprovalView } from "countersign/hono";
import { beforeAll, expect, it, vi } from "vitest";
import { eventually } from "../support/harness.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { isWithdrawn, type LosingDesk, openLosingDesk, refunds, watched } from "../support/losing-desk.js";
import { backUp, runRestored } from "../support/postgres/backup.js";
import { createRole } from "../support/postgres/documented-roles.js";
import { proposeCall } from "../support/proposals.js";
import { storeVerbs } from "../support/store.js";
import { withoutRelay } from "../support/without-relay.js";

beforeAll(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});

it.each([
  { restored: "the database", options: [] },
  { restored: "the engine", options: ["--engine"] },
])(
  "calls of runs that the engine lacks after a restore of $restored are withdrawn, and others wait on",
  async ({ options }) => {
    await using desk = await openLosingDesk();
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
  await using desk = await openLosingDesk();
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
  await using desk = await openLosingDesk();
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
    "5s",
  );
  expect(desk.clock.now() - lostAt).toBeLessThan(240_000);
  expect(await desk.readiness()).toEqual({ status: "degraded", problems: ["runs_lost"] });
  expect(refunds).toEqual([]);
});

it("the first canary starts a minute later if the engine loses its first event, and the waiting run goes on", async () => {
  let lost = 0;
  await using desk = await openLosingDesk({
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
  await using desk = await openLosingDesk();
  await desk.say("refund 80");
  const call = await desk.onlyPending();
  await watched(desk);
  await desk.beforeLastCheck();
  await desk.forget();
  await isWithdrawn(desk, call);
  expect(await desk.approval(call.id)).toMatchObject({ withdrawalCause: "run_lost" });
});

it("a canary ends after its last check, another replaces it, and no run is woken for that", async () => {
  await using desk = await openLosingDesk();
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

it("a waiting run goes on when only the canary is lost", async () => {
  await using desk = await openLosingDesk();
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
async function answersProbe(desk: LosingDesk, { requestId }: ApprovalView, since = 1) {
  await desk.passUntil(async () => {
    const { rounds, probed } = await desk.probes(requestId);
    return probed >= since && rounds > probed;
  }, "the waiting run's answer");
  return desk.probes(requestId);
}

it("a run that was mistaken for lost can request approval again", async () => {
  await using desk = await openLosingDesk({
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
    const [row] = await desk.database.admin`
      select count(*)::int as waiting from countersign.approvals where status = 'pending'`;
    return row?.waiting === 1;
  };
  await desk.passUntil(isAskedAgain, "the second question", "1m");
  const second = await desk.onlyPending();
  await desk.decide(second, "approve");
  await desk.ended(runId);
  expect(await desk.approval(first.id)).toMatchObject({ withdrawalCause: "run_lost" });
  expect(refunds).toEqual([5]);
});

it("a run that is mistaken for lost is woken and completes within a minute", async () => {
  let judged = false;
  await using desk = await openLosingDesk({
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
    "5s",
  );
  expect(desk.clock.now() - judgedAt).toBeLessThan(60_000);
  expect(await desk.approval(call.id)).toMatchObject({ withdrawalCause: "run_lost" });
  expect(refunds).toEqual([]);
});

it("a waiting run goes on although most events of it and of its canary are lost", async () => {
  let dropped = 0;
  await using desk = await openLosingDesk({
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
  await using desk = await openLosingDesk({
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
  await using desk = await openLosingDesk({
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
