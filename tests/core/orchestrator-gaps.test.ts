import { createCountersign } from "countersign";
import { approvalsApi } from "countersign/hono";
import { Inngest } from "inngest";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { defaultPolicy, openHarness } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { proposeCall } from "../support/proposals.js";
import { takeWarning } from "../support/run/warnings.js";
import { postgresStore } from "../support/store.js";
import { openWaitingRefund } from "../support/waiting-refund.js";
import { wakeUpTokenIn } from "../support/wake-up-token.js";
import { withoutRelay } from "../support/without-relay.js";

const wakeUp = "countersign/request.wake-up";
const refund = { toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] };

/** Opens a waiting refund. Without the relay, only the orchestrator itself can recover a wake-up that it missed. */
async function openWaiting(options: Partial<HarnessOptions>) {
  const waiting = await openWaitingRefund(options);
  const { harness } = waiting;
  const { requestId } = waiting.approval;
  /** Sends a wake-up although nothing was decided. */
  const wake = async (token?: string) => {
    const right = await wakeUpTokenIn(harness.store, requestId);
    await harness.inngest.send({ name: wakeUp, data: { requestId, token: token ?? right } });
    await harness.engine.idle();
  };
  return { ...waiting, wake };
}

describe("a waiting run", () => {
  it("does not query the database for a wake-up with a wrong token", async () => {
    let looks = 0;
    await using waiting = await openWaiting({
      served: withoutRelay,
      between: (store) =>
        interceptedStore(store, {
          settle: (carryOut, ...args) => {
            looks++;
            return carryOut(...args);
          },
        }),
    });
    await waiting.harness.engine.idle();
    await waiting.wake("guess");
    expect(looks).toBe(0);
    await waiting.wake();
    await expect.poll(() => looks).toBeGreaterThan(0);
  });

  it("notices a decision between two of its waits", async () => {
    let decideInGap = async () => {};
    await using waiting = await openWaiting({
      served: withoutRelay,
      between: (store) =>
        interceptedStore(store, {
          settle: async (carryOut, ...args) => {
            const progress = await carryOut(...args);
            const decide = decideInGap;
            decideInGap = async () => {};
            await decide();
            return progress;
          },
        }),
    });
    const { harness, approval } = waiting;
    let answered: number | undefined;
    decideInGap = async () => {
      answered = (await harness.decide(approval, "approve")).status;
    };
    await waiting.wake();
    await harness.ended(waiting.runId);
    expect(answered).toBe(200);
    expect(waiting.effects).toHaveLength(1);
  });

  it("wakes itself if a decision's wake-up is lost while it returns to waiting", async () => {
    let decideBeforeLook = async () => {};
    let losing = false;
    await using waiting = await openWaiting({
      served: withoutRelay,
      onEvent: ({ name }) => (losing && name === wakeUp ? "drop" : "deliver"),
      between: (store) =>
        interceptedStore(store, {
          peek: async (carryOut, ...args) => {
            await decideBeforeLook();
            return carryOut(...args);
          },
        }),
    });
    const { harness, approval } = waiting;
    let lookedAt = 0;
    decideBeforeLook = async () => {
      if (lookedAt++ > 0) return;
      losing = true;
      await harness.decide(approval, "approve");
      losing = false;
    };
    await waiting.wake();
    await harness.ended(waiting.runId);
    expect(lookedAt).toBeGreaterThan(0);
    expect(waiting.effects).toHaveLength(1);
  });

  it("settles its request in whichever round the decision comes", async () => {
    await using waiting = await openWaiting({ served: withoutRelay });
    const { harness, approval, database } = waiting;
    await waiting.wake();
    await waiting.wake();
    await harness.decide(approval, "approve");
    await harness.ended(waiting.runId);
    const [request] = await database.admin`
      select rounds, settled_at is not null as settled, (select count(*)::int from countersign.outbox) as due
      from countersign.requests`;
    expect(request).toEqual({ rounds: 3, settled: true, due: 0 });
  });

  it("is woken although a duplicate of an earlier step has already settled its request", async () => {
    let duplicate: (() => Promise<unknown>) | undefined;
    let decide: (() => Promise<unknown>) | undefined;
    let losing = false;
    await using waiting = await openWaiting({
      onEvent: ({ name }) => (losing && name === wakeUp ? "drop" : "deliver"),
      onRequest: (request, handle) => {
        const { searchParams } = new URL(request.url);
        const copy = request.clone();
        if (searchParams.get("stepId") === "step" && searchParams.get("fnId")?.endsWith("orchestrator"))
          duplicate = () => handle(copy);
        return handle(request);
      },
      between: (store) =>
        interceptedStore(store, {
          // The run is about to wait again, since it found the call open.
          peek: async (carryOut, ...args) => {
            await decide?.();
            if (decide) await duplicate?.();
            decide = undefined;
            return carryOut(...args);
          },
        }),
    });
    const { harness, approval } = waiting;
    decide = async () => {
      losing = true;
      await harness.decide(approval, "approve");
    };
    await waiting.wake();
    expect(waiting.effects).toEqual([]);
    losing = false;
    await harness.clock.advance("2m");
    await harness.ended(waiting.runId);
    expect(waiting.effects).toHaveLength(1);
  });

  it("ends its wait if its request was withdrawn before the announcement", async () => {
    let withdrawn = 0;
    await using opened = await openHarness({
      database: await freshPostgres(),
      tools: deskTools().tools,
      reply: inTurns(refund),
      served: withoutRelay,
      between: (store) =>
        interceptedStore(store, {
          announce: async (carryOut, requestId) => {
            const runId = (await store.readRequest(requestId))?.runId ?? "";
            withdrawn += (await store.withdrawRun(runId, "run_cancelled")).length + 1;
            return carryOut(requestId);
          },
        }),
    });
    await opened.say("Refund A-1");
    await expect
      .poll(async () => (await opened.functionRuns("countersign-orchestrator")).map(({ status }) => status), {
        timeout: 30_000,
      })
      .toEqual(["Completed"]);
    expect(withdrawn).toBe(1);
  });

  it("waits no longer than the remaining time, however often it was woken", async () => {
    await using waiting = await openWaiting({ served: withoutRelay });
    const { harness } = waiting;
    await harness.engine.idle();
    await harness.clock.advance("20m");
    await waiting.wake();
    await harness.clock.advance("11m");
    await harness.ended(waiting.runId);
    expect(await harness.approval(waiting.approval.id)).toMatchObject({ status: "expired" });
    expect(waiting.effects).toEqual([]);
  });
});

describe("a call whose orchestrator fails", () => {
  it("is withdrawn without a denial, and its run completes, if no orchestrator is served", async () => {
    takeWarning(/Waiting for decisions failed/);
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    await using harness = await openHarness({
      database,
      tools,
      reply: inTurns(refund),
      served: () => [],
    });
    const { runId, threadId } = await harness.say("Refund A-1");
    await harness.engine.idle();
    await harness.clock.advance("5m");
    await harness.ended(runId);
    expect(effects).toEqual([]);
    const { body } = await harness.call("finance", `/approvals?threadId=${threadId}`);
    expect(body.items).toMatchObject([
      { status: "withdrawn", withdrawalCause: "orchestration_failed", decision: null },
    ]);
    const secondRequest = JSON.stringify(harness.model.requests[1]?.body);
    expect(secondRequest).toContain("was withdrawn and did not run");
    expect(secondRequest).toContain("technical error");
    expect(secondRequest).not.toMatch(/denied/);
    expect(await harness.decide(body.items[0], "approve")).toMatchObject({
      status: 409,
      body: { code: "withdrawn", cause: "orchestration_failed" },
    });
  });

  it("is refused and not claimed if the orchestrator reports it as still open", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    let claims = 0;
    await using harness = await openHarness({
      database,
      tools,
      reply: inTurns(refund),
      between: (store) =>
        interceptedStore(store, {
          claim: (carryOut, ...args) => {
            claims++;
            return carryOut(...args);
          },
        }),
      served: (_functions, inngest) => [
        inngest.createFunction(
          { id: "countersign-orchestrator", triggers: [{ event: "countersign/request.opened" }] },
          async ({ event }) => {
            const approvals = await harness.store.announce(String(event.data.requestId));
            return {
              decisions: approvals.map(({ id, digest }) => ({
                approvalId: id,
                digest,
                open: true,
                responded: false,
                edited: false,
                refusal: null,
              })),
            };
          },
        ),
      ],
    });
    const { runId } = await harness.say("Refund A-1");
    await harness.ended(runId);
    expect(effects).toEqual([]);
    expect(claims).toBe(0);
    expect(JSON.stringify(harness.model.requests[1]?.body)).toContain("approval_missing");
  });
});

it("a decision after the timeout wakes the run", async () => {
  await using database = await freshPostgres();
  let offset = 0;
  const store = postgresStore({ client: database.postgres, clockOffset: () => offset });
  await store.migrate();
  const sent: { name: string; data: { requestId: string } }[] = [];
  const inngest = new Inngest({
    id: "late",
    isDev: true,
    fetch: async (_input, init) => {
      sent.push(...JSON.parse(String(init?.body)));
      return Response.json({ ids: ["1"], status: 200 });
    },
  });
  const countersign = createCountersign({ inngest, store, policy: defaultPolicy, tenantId: "acme" });
  const api = approvalsApi(countersign, {
    authenticate: () => ({ id: "finance", tenantId: "acme", roles: [] }),
  });
  const [approval] = await proposeCall(store);
  offset = 31 * 60_000;
  const response = await api.request(`/approvals/${approval?.id}/decision`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ type: "approve", digest: approval?.digest }),
  });
  expect(response.status).toBe(410);
  // The expiry is published as well, before or after this.
  const woken = sent.filter(({ name }) => name === wakeUp);
  expect(woken).toMatchObject([{ data: { requestId: approval?.requestId } }]);
  // The relay sends it again, in case the first one is lost.
  offset += 60_000;
  expect(await store.takeDueWakeUps(10)).toMatchObject([{ requestId: approval?.requestId }]);
});
