import type { EventFate } from "@countersign/testing";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually, openHarness } from "../support/harness.js";
import { openWaitingRefund } from "../support/waiting-refund.js";
import { wakeUpTokenIn } from "../support/wake-up-token.js";

const refund = { toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] };
const wakeUp = "countersign/request.wake-up";

describe("a decision", () => {
  it("resumes its run when it is made inside the step that announces the approval", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    await using harness = await openHarness({
      database,
      tools,
      reply: inTurns(refund),
      onEvent: async ({ name, data }): Promise<EventFate> => {
        if (name === "countersign/approval.pending") {
          const approval = await harness.approval(String(data.approvalId));
          await harness.decide(approval, "approve");
        }
        return "deliver";
      },
    });
    const { runId } = await harness.say("Refund A-1");
    await harness.ended(runId);
    expect(effects).toHaveLength(1);
  });

  it("resumes its run when it is made seconds before the timeout", async () => {
    await using waiting = await openWaitingRefund();
    await waiting.harness.clock.advance(30 * 60_000 - 5000);
    expect((await waiting.harness.decide(waiting.approval, "approve")).status).toBe(200);
    await waiting.harness.ended(waiting.runId);
    expect(waiting.effects).toHaveLength(1);
  });

  it("resumes its run through the relay when the first wake-up is lost", async () => {
    let lost = 0;
    await using waiting = await openWaitingRefund({
      onEvent: ({ name }) => (name === wakeUp && lost++ === 0 ? "drop" : "deliver"),
    });
    await waiting.harness.decide(waiting.approval, "approve");
    expect(lost).toBe(1);
    expect((await waiting.harness.runStatus(waiting.runId)).status).toBe("Running");
    await waiting.harness.clock.advance("1m");
    await waiting.harness.ended(waiting.runId);
    expect(waiting.effects).toHaveLength(1);
  });

  it("resumes its run at the end of the wait when every wake-up is lost", async () => {
    await using waiting = await openWaitingRefund({
      onEvent: ({ name }) => (name === wakeUp ? "drop" : "deliver"),
    });
    await waiting.harness.decide(waiting.approval, "approve");
    await waiting.harness.clock.advance("31m");
    await waiting.harness.ended(waiting.runId);
    expect(waiting.effects).toHaveLength(1);
  });

  it("resumes its run once when the wake-up is delivered twice", async () => {
    await using waiting = await openWaitingRefund({
      onEvent: ({ name }) => (name === wakeUp ? "twice" : "deliver"),
    });
    await waiting.harness.decide(waiting.approval, "approve");
    await waiting.harness.ended(waiting.runId);
    expect(waiting.effects).toHaveLength(1);
  });
});

describe("a forged wake-up", () => {
  it("with the right id and a wrong token has no effect", async () => {
    await using waiting = await openWaitingRefund();
    const { harness, approval } = waiting;
    await harness.inngest.send({
      name: wakeUp,
      data: { requestId: approval.requestId, token: "guess", approved: true },
    });
    await harness.engine.idle();
    expect((await harness.runStatus(waiting.runId)).status).toBe("Running");
    expect(waiting.effects).toEqual([]);
  });

  it("with the right token decides nothing, and the run keeps waiting for the decision", async () => {
    await using waiting = await openWaitingRefund();
    const { harness, approval } = waiting;
    const token = await wakeUpTokenIn(harness.store, approval.requestId);
    const forged = {
      requestId: approval.requestId,
      token,
      approved: true,
      decision: "approve",
    };
    await harness.inngest.send({ name: wakeUp, data: forged });
    await harness.engine.idle();
    expect(await harness.approval(approval.id)).toMatchObject({ status: "pending" });
    expect(waiting.effects).toEqual([]);
    // A later decision still resumes the run.
    await harness.decide(approval, "approve");
    await harness.ended(waiting.runId);
    expect(waiting.effects).toHaveLength(1);
  });

  it("does not turn a denial into an approval", async () => {
    await using waiting = await openWaitingRefund();
    const { harness, approval } = waiting;
    const token = await wakeUpTokenIn(harness.store, approval.requestId);
    await harness.decide(approval, "deny");
    await harness.inngest.send({
      name: wakeUp,
      data: { requestId: approval.requestId, token, approved: true },
    });
    await harness.ended(waiting.runId);
    expect(waiting.effects).toEqual([]);
  });
});

it("a run with two waiting calls resumes after both decisions, in either order", async () => {
  for (const first of [0, 1]) {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const calls = [
      { name: "refund", input: { id: "A-1", amount: 80 } },
      { name: "email", input: { to: "customer", text: "Refunded" } },
    ];
    await using harness = await openHarness({ database, tools, reply: inTurns({ toolCalls: calls }) });
    const { runId } = await harness.say("Refund and tell");
    const waiting = await harness.pending(2);
    await harness.decide(waiting[first] as (typeof waiting)[0], "approve");
    await harness.engine.idle();
    expect((await harness.runStatus(runId)).status).toBe("Running");
    await harness.decide(waiting[1 - first] as (typeof waiting)[0], "approve");
    await harness.ended(runId);
    expect(effects.map(({ tool }) => tool)).toEqual(["refund", "email"]);
  }
});

describe("an approval without a decision in time", () => {
  it("expires, and its run tells the model so and ends without the tool", async () => {
    await using waiting = await openWaitingRefund();
    const { harness, approval } = waiting;
    await harness.clock.advance("31m");
    await harness.ended(waiting.runId);
    expect(waiting.effects).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject({ status: "expired", decision: null });
    const secondRequest = JSON.stringify(harness.model.requests[1]?.body);
    expect(secondRequest).toContain("approval_expired");
    expect(secondRequest).toContain("Nobody denied it");
    expect(secondRequest).not.toContain("approval_denied");
    expect((await harness.decide(approval, "approve")).status).toBe(410);
  });

  it("answers a late decision with 410 even before its run has resumed", async () => {
    await using waiting = await openWaitingRefund();
    const { harness, approval } = waiting;
    await harness.engine.stop();
    await harness.clock.advance("31m");
    expect((await harness.call("finance", "/approvals?status=pending")).body.items).toEqual([]);
    const late = await harness.decide(approval, "approve");
    expect(late).toMatchObject({ status: 410, body: { code: "expired" } });
    expect(await harness.approval(approval.id)).toMatchObject({ status: "expired" });
  });
});

describe("a run that is cancelled while it waits", () => {
  it("has its call withdrawn, and its orchestrator ends", async () => {
    await using waiting = await openWaitingRefund();
    const { harness, approval, runId } = waiting;
    const cancelled = await harness.engine.fetch(`${harness.engine.baseUrl}/v1/runs/${runId}`, {
      method: "DELETE",
    });
    expect(cancelled.ok).toBe(true);
    await eventually(async () => {
      const { status } = await harness.approval(approval.id);
      return status === "withdrawn" ? status : undefined;
    }, "the approval is withdrawn");
    await harness.ended(runId, "Cancelled");
    await eventually(async () => {
      const [orchestrator] = await harness.functionRuns("countersign-orchestrator");
      return orchestrator?.status === "Completed" ? orchestrator : undefined;
    }, "the orchestrator ends");
    expect(await harness.decide(approval, "approve")).toMatchObject({
      status: 409,
      body: { code: "withdrawn" },
    });
    expect(waiting.effects).toEqual([]);
  });
});
