import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Approval, Desk } from "./desk.js";

/** One thing that Countersign needs a server to do. */
export interface Scenario {
  name: string;
  /** Said where the scenario fails: what the server should have done. */
  expects: string;
  /** Why it cannot be played here. */
  skip?(desk: Desk): string | undefined;
  play(desk: Desk): Promise<void>;
}

async function waitingRefund(desk: Desk, message = "Please refund order A-1001") {
  const { threadId, runId } = await desk.say(message);
  return { threadId, runId, approval: await desk.onlyWaiting(threadId) };
}

/** The call ran once, and the agent's run came to its end. */
async function ranOnce(desk: Desk, threadId: string, { id }: Approval) {
  await desk.endedAs(id, "executed");
  await desk.lastWords(threadId);
  const effects = await desk.effectsOf(id);
  assert.equal(effects.length, 1, `the tool ran ${effects.length} times`);
  return effects[0];
}

async function didNotRun(desk: Desk, threadId: string, { id }: Approval, status: string): Promise<void> {
  await desk.endedAs(id, status);
  await desk.lastWords(threadId);
  assert.deepEqual(await desk.effectsOf(id), [], "the tool ran");
}

export const scenarios: Scenario[] = [
  {
    name: "approve",
    expects:
      "runs the agent's steps, invokes the orchestrator, and resumes its wait by an event whose data match the wait's expression",
    async play(desk) {
      const { threadId, approval } = await waitingRefund(desk);
      await desk.decide("finance", approval, { type: "approve" });
      const effect = await ranOnce(desk, threadId, approval);
      assert.equal(effect?.input.orderId, "A-1001");
    },
  },
  {
    name: "deny",
    expects: "gives the orchestrator's result back to the run that invoked it, which goes on and ends",
    async play(desk) {
      const { threadId, approval } = await waitingRefund(desk);
      await desk.decide("finance", approval, { type: "deny", reason: "Too late" });
      await didNotRun(desk, threadId, approval, "denied");
      assert.match(await desk.lastWords(threadId), /Too late|denied|declined|refus/i);
    },
  },
  {
    name: "edit",
    expects: "keeps steps' results, so that the changed arguments reach the tool and no others do",
    async play(desk) {
      const { threadId, approval } = await waitingRefund(desk);
      await desk.decide("finance", approval, { type: "edit", input: { ...approval.input, amount: 12.5 } });
      const effect = await ranOnce(desk, threadId, approval);
      assert.equal(effect?.input.amount, 12.5);
    },
  },
  {
    name: "expiry",
    expects: "ends a wait for an event after its timeout, with null, and goes on with the run",
    skip: ({ shortRefunds }) =>
      shortRefunds ? undefined : "the demo is not ours, and its calls wait too long for this",
    async play(desk) {
      const { threadId, approval } = await waitingRefund(desk, "Refund A-1001 5 EUR");
      await didNotRun(desk, threadId, approval, "expired");
    },
  },
  {
    name: "quorum",
    expects: "goes on waiting until the event comes that the last vote sends",
    async play(desk) {
      const { threadId, approval } = await waitingRefund(desk, "Refund A-1020");
      await desk.decide("finance", approval, { type: "approve" });
      const again = await desk.onlyWaiting(threadId);
      assert.deepEqual(await desk.effectsOf(again.id), [], "one vote was enough");
      await desk.decide("lead", approval, { type: "approve" });
      await ranOnce(desk, threadId, approval);
    },
  },
  {
    name: "several calls in one response",
    expects:
      "resumes one wait for all calls of a response, and replays the function with each step's own result",
    async play(desk) {
      const { threadId } = await desk.say("Refund A-1001 and A-1002 and tell the customer");
      const waiting = await desk.waiting(threadId, 3);
      const of = (toolName: string, orderId?: string) => {
        const found = waiting.find((call) => call.toolName === toolName && call.input.orderId === orderId);
        return found ?? assert.fail(`No ${toolName} waits`);
      };
      const [first, second, email] = [
        of("issue_refund", "A-1001"),
        of("issue_refund", "A-1002"),
        of("send_email"),
      ];
      await desk.decide("finance", email, { type: "approve" });
      await desk.decide("lead", second, { type: "deny" });
      await desk.decide("finance", first, { type: "approve" });
      await ranOnce(desk, threadId, first);
      await ranOnce(desk, threadId, email);
      await didNotRun(desk, threadId, second, "denied");
    },
  },
  {
    name: "question",
    expects: "carries a person's answer through the run to the agent's next step",
    async play(desk) {
      const { threadId } = await desk.say("Ask which carrier to use for A-1002");
      const question = await desk.onlyWaiting(threadId);
      const response = { action: "accept", content: { choice: "UPS" } };
      await desk.decide("finance", question, { type: "respond", response });
      await desk.endedAs(question.id, "responded");
      await desk.lastWords(threadId);
      const booked = (await desk.approvalsOf(threadId)).find(({ toolName }) => toolName === "book_carrier");
      assert.equal(booked?.input.carrier, "UPS");
    },
  },
  {
    name: "cancel",
    expects:
      "cancels a run at DELETE /v1/runs/{id}, and then sends inngest/function.cancelled with data.run_id to functions that are triggered by it",
    async play(desk) {
      const { runId, approval } = await waitingRefund(desk);
      if (runId === null) assert.fail("GET /v1/events/{id}/runs did not list the run that a message started");
      await desk.cancelRun(runId);
      await desk.endedAs(approval.id, "withdrawn");
      const late = await desk.call("finance", `/approvals/${approval.id}/decision`, {
        type: "approve",
        digest: approval.digest,
      });
      assert.equal(late.status, 409, "a withdrawn call was decided");
      assert.deepEqual(await desk.effectsOf(approval.id), [], "the tool of a cancelled run ran");
    },
  },
  {
    name: "nobody looks, and the app restarts",
    expects: "keeps runs and waits while the app is away, and calls it again once it is back",
    skip: ({ restartDemo }) => (restartDemo ? undefined : "the demo is not ours to restart"),
    async play(desk) {
      const { threadId, approval } = await waitingRefund(desk);
      await desk.restartDemo?.();
      await desk.decide("finance", approval, { type: "approve" });
      await ranOnce(desk, threadId, approval);
    },
  },
  {
    name: "forged wake-up",
    expects: "compares the awaited event's data with the wait's expression: async.data, not event.data",
    async play(desk) {
      const { threadId, approval } = await waitingRefund(desk);
      const data = { requestId: approval.requestId, token: "guessed", approved: true, decision: "approve" };
      await desk.send([{ name: "countersign/request.wake-up", data }]);
      await desk.send([{ name: "countersign/request.wake-up", data: { ...data, requestId: "another" } }]);
      assert.equal((await desk.onlyWaiting(threadId)).id, approval.id);
      await desk.decide("finance", approval, { type: "deny" });
      await didNotRun(desk, threadId, approval, "denied");
    },
  },
  {
    name: "duplicated event",
    expects: "starts one run for events that have the same id",
    async play(desk) {
      const { threadId } = await desk.say("Hello");
      await desk.lastWords(threadId);
      const event = {
        id: `conformance-${randomUUID()}`,
        name: "demo/message.received",
        data: { threadId, message: "Please refund order A-1003" },
      };
      await desk.send([event, event]);
      await desk.send([event]);
      const approval = await desk.onlyWaiting(threadId);
      await desk.decide("finance", approval, { type: "approve" });
      await ranOnce(desk, threadId, approval);
      const refunds = (await desk.approvalsOf(threadId)).filter(
        ({ toolName }) => toolName === "issue_refund",
      );
      assert.equal(refunds.length, 1, `the event that came three times led to ${refunds.length} refunds`);
    },
  },
  {
    name: "decided as soon as it is announced",
    expects:
      "registers the waits of a response before it runs the other steps of the same response, so that no decision comes before its wait",
    async play(desk) {
      for (const orderId of ["A-1001", "A-1002", "A-1003"]) {
        const { threadId } = await desk.say(`Please refund order ${orderId}`);
        const approval = await desk.onlyWaiting(threadId, 0);
        await desk.decide("finance", approval, { type: "approve" });
        await ranOnce(desk, threadId, approval);
      }
    },
  },
];
