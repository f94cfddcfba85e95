import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { DemoProblem } from "./demo-problem.js";
import type { Approval, Desk } from "./desk.js";
import { messages } from "./model.js";
import { dataScenarios } from "./probe/data-scenarios.js";
import { orderScenarios } from "./probe/order-scenarios.js";
import { withProbe } from "./probe/probe-scenario.js";

/** One thing that Countersign needs a server to do. */
export interface Scenario {
  name: string;
  /** What the server should have done, for the report of a failure. */
  expects: string;
  /** The reason why the scenario cannot be played here. */
  skip?(desk: Desk): string | undefined;
  play(desk: Desk): Promise<void>;
}

async function waitingCall(desk: Desk, message = "Please refund order A-1001") {
  const { threadId } = await desk.say(message);
  return { threadId, approval: await desk.onlyWaiting(threadId) };
}

/** Sends the agent a message without the demo. Returns the thread, and the run that the server lists for the event. */
async function runOfMessage(desk: Desk, message: string) {
  const { threadId } = await desk.say("Hello");
  await desk.lastWords(threadId);
  const [eventId] = await desk.send([{ name: "demo/message.received", data: { threadId, message } }]);
  if (eventId === undefined) assert.fail("POST /e/{key} named no id of the event");
  const runId = await desk.until(
    "GET /v1/events/{id}/runs lists the run that an event started",
    async () => (await desk.runsOf(eventId))[0],
  );
  return { threadId, runId };
}

/** Checks that the call ran once, and that the agent's run ended. */
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

/** Countersign writes the results that the model reads, so they do not depend on the server. */
function expectModelRead(words: string, expected: RegExp): void {
  if (!expected.test(words)) {
    throw new DemoProblem(`The model was not told ${expected}, but: ${words.slice(0, 300)}`);
  }
}

const needsOurModel = ({ isOurs }: Desk) =>
  isOurs ? undefined : "the demo is not ours, and its model never does this";

const demoScenarios: Scenario[] = [
  {
    name: "approve",
    expects:
      "runs the agent's steps, invokes the orchestrator, and resumes its wait by an event whose data match the wait's expression",
    async play(desk) {
      const { threadId, approval } = await waitingCall(desk);
      await desk.decide("finance", approval, { type: "approve" });
      const effect = await ranOnce(desk, threadId, approval);
      assert.equal(effect?.input.orderId, "A-1001");
    },
  },
  {
    name: "deny",
    expects: "gives the orchestrator's result back to the run that invoked it, which goes on and ends",
    async play(desk) {
      const { threadId, approval } = await waitingCall(desk);
      await desk.decide("finance", approval, { type: "deny", reason: "Too late" });
      await didNotRun(desk, threadId, approval, "denied");
      assert.match(await desk.lastWords(threadId), /Too late|denied|declined|refus/i);
    },
  },
  {
    name: "edit",
    expects: "keeps steps' results, so that the changed arguments reach the tool and no others do",
    async play(desk) {
      const { threadId, approval } = await waitingCall(desk);
      await desk.decide("finance", approval, { type: "edit", input: { ...approval.input, amount: 12.5 } });
      const effect = await ranOnce(desk, threadId, approval);
      assert.equal(effect?.input.amount, 12.5);
    },
  },
  {
    name: "expiry",
    expects: "ends a wait for an event after its timeout, with null, and goes on with the run",
    skip: ({ isOurs }) => (isOurs ? undefined : "the demo is not ours, and its calls wait too long for this"),
    async play(desk) {
      const { threadId } = await desk.say("Refund A-1001 5 EUR");
      // The call may have expired already, because this program may be slow to look.
      const [approval] = await desk.proposed(threadId);
      if (!approval) assert.fail("No call was proposed");
      await didNotRun(desk, threadId, approval, "expired");
    },
  },
  {
    name: "quorum",
    expects: "goes on waiting until the event comes that the last vote sends",
    async play(desk) {
      const { threadId, approval } = await waitingCall(desk, "Refund A-1020");
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
    name: "run of a message",
    expects:
      "lists the run that an event started at GET /v1/events/{id}/runs soon after, at an address that was not asked before",
    async play(desk) {
      await runOfMessage(desk, "Hello");
      const { runId } = await desk.say("Hello");
      if (runId === null) throw new DemoProblem("POST /api/chat named no run, though the server lists runs");
    },
  },
  {
    name: "cancel",
    expects:
      "cancels a run at DELETE /v1/runs/{id}, and then sends inngest/function.cancelled with data.run_id to functions that are triggered by it",
    async play(desk) {
      const { threadId, runId } = await runOfMessage(desk, "Please refund order A-1001");
      const approval = await desk.onlyWaiting(threadId);
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
    name: "run that fails after its call ran",
    expects:
      "ends a run whose step fails for good, and then sends inngest/function.failed with data.run_id to functions that are triggered by it",
    skip: needsOurModel,
    async play(desk) {
      const { threadId, approval } = await waitingCall(desk, messages.refundThenFail);
      await desk.decide("finance", approval, { type: "approve" });
      await desk.endedAs(approval.id, "executed");
      await desk.failed(threadId);
      await desk.say(messages.recall, threadId);
      const lastWords = await desk.lastWords(threadId);
      expectModelRead(lastWords, /^issue_refund was called with .*A-1001/);
      expectModelRead(lastWords, /^issue_refund gave .*refunded/m);
      assert.equal((await desk.effectsOf(approval.id)).length, 1, "the tool did not run once");
    },
  },
  {
    name: "arguments that are too large",
    expects: "takes a response of a model that is larger than 2 MiB as a step's output",
    skip: needsOurModel,
    async play(desk) {
      const { threadId } = await desk.say(messages.tooLargeArguments);
      expectModelRead(await desk.lastWords(threadId), /the arguments take 2\.1 MB of JSON/);
      assert.deepEqual(await desk.approvalsOf(threadId), [], "people were asked about them");
    },
  },
  {
    name: "result that is too large",
    expects: "takes steps whose input or output has more than 1 MiB",
    skip: needsOurModel,
    async play(desk) {
      const { threadId, approval } = await waitingCall(desk, messages.tooLargeResult);
      await desk.decide("finance", approval, { type: "approve" });
      await ranOnce(desk, threadId, approval);
      expectModelRead(
        await desk.lastWords(threadId),
        /The tool ran; its result of 1\.0 MB is too large to be shown here/,
      );
    },
  },
  {
    name: "error that is cut inside an emoji",
    expects: "takes a step's output that is valid Unicode",
    skip: needsOurModel,
    async play(desk) {
      const { threadId, approval } = await waitingCall(desk, messages.emojiAtTheCut);
      await desk.decide("finance", approval, { type: "approve" });
      await didNotRun(desk, threadId, approval, "failed");
      expectModelRead(await desk.lastWords(threadId), /There is no order x/);
    },
  },
  {
    name: "nobody looks, and the app restarts",
    expects: "keeps runs and waits while the app is away, and calls it again once it is back",
    skip: ({ restartDemo }) => (restartDemo ? undefined : "the demo is not ours to restart"),
    async play(desk) {
      const { threadId, approval } = await waitingCall(desk);
      await desk.restartDemo?.();
      await desk.decide("finance", approval, { type: "approve" });
      await ranOnce(desk, threadId, approval);
    },
  },
  {
    name: "forged wake-up",
    expects: "compares the awaited event's data with the wait's expression: async.data, not event.data",
    async play(desk) {
      const { threadId, approval } = await waitingCall(desk);
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

export const scenarios: Scenario[] = [
  ...demoScenarios,
  ...[...dataScenarios, ...orderScenarios].map(withProbe),
];
