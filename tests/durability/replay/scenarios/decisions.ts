import type { Reply } from "@countersign/testing";
import { allow, ask, definePolicy, deny, manual } from "countersign";
import type { ApprovalView } from "countersign/hono";
import { deskTools, inTurns } from "../../../support/desk-tools.js";
import type { Harness } from "../../../support/harness.js";
import { releaseCalls, stopCalls } from "../../../support/stops.js";
import { wakeUpTokenIn } from "../../../support/wake-up-token.js";
import type { Scenario } from "../scenario.js";

const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const secondRefund = { name: "refund", input: { id: "A-2", amount: 20 } };

const desk = (...replies: Reply[]) => ({ ...deskTools(), reply: inTurns(...replies) });
const oneRefund = () => desk({ toolCalls: [refund] });

async function decide(
  harness: Harness,
  { id, digest }: ApprovalView,
  decision: { type: string; [field: string]: unknown },
): Promise<void> {
  const body = { digest, ...decision };
  const answer = await harness.call("finance", `/approvals/${id}/decision`, { method: "POST", body });
  if (answer.status !== 200) throw new Error(`Not decided: ${JSON.stringify(answer.body)}`);
}

/** Scenarios of decisions and their effects on calls. */
export const decisionScenarios: Scenario[] = [
  {
    name: "a call is approved",
    open: oneRefund,
    async play(harness) {
      const { runId } = await harness.say("Refund A-1");
      await harness.decide(await harness.onlyPending(), "approve");
      await harness.ended(runId);
    },
    ends: { statuses: ["executed"], ran: ["refund"], modelReads: "ok" },
  },
  {
    name: "a call is denied with a reason",
    open: oneRefund,
    async play(harness) {
      const { runId } = await harness.say("Refund A-1");
      await harness.decide(await harness.onlyPending(), "deny", "finance", "Too late");
      await harness.ended(runId);
    },
    ends: { statuses: ["denied"], ran: [], modelReads: "Too late" },
  },
  {
    name: "nobody decides in time",
    open: oneRefund,
    async play(harness) {
      const { runId } = await harness.say("Refund A-1");
      await harness.onlyPending();
      await harness.clock.advance("31m");
      await harness.ended(runId);
    },
    ends: { statuses: ["expired"], ran: [], modelReads: "expired" },
  },
  {
    name: "the calls of one response end differently, in Anthropic's format",
    open: () => ({
      ...desk({
        text: "I will do that.",
        toolCalls: [
          { name: "lookup", input: { id: "A-1" } },
          refund,
          secondRefund,
          { name: "erase", input: { id: "C-7" } },
        ],
      }),
      format: "anthropic",
    }),
    async play(harness) {
      const { runId } = await harness.say("Do all of it");
      for (const approval of await harness.pending(2)) {
        const { amount } = approval.input as { amount: number };
        await harness.decide(approval, amount === 80 ? "approve" : "deny", "lead");
      }
      await harness.ended(runId);
    },
    ends: { statuses: ["executed", "denied", "denied"], ran: ["refund"], modelReads: "does not allow" },
  },
  {
    name: "the model gives the same response twice, with calls that have no id",
    // A gate refuses a call without an id.
    onlyAgentKit: true,
    open: () => {
      const nameless = { toolCalls: [{ ...refund, id: "" }] };
      return desk(nameless, nameless);
    },
    async play(harness) {
      const { runId } = await harness.say("Refund A-1, and again");
      const first = await harness.onlyPending();
      await harness.decide(first, "approve");
      await harness.decide(await harness.nextPending(first), "deny");
      await harness.ended(runId);
    },
    ends: { statuses: ["executed", "denied"], ran: ["refund"] },
  },
  {
    name: "the first of two calls is approved with edited arguments",
    open: () => ({
      ...desk({ toolCalls: [refund, secondRefund] }),
      policy: definePolicy({
        tools: { refund: ask({ decisions: ["approve", "edit", "deny"], editable: ["amount"] }) },
      }),
    }),
    async play(harness) {
      const { runId } = await harness.say("Refund A-1 and A-2");
      for (const approval of await harness.pending(2)) {
        const { id } = approval.input as { id: string };
        if (id === "A-1") await decide(harness, approval, { type: "edit", input: { id, amount: 50 } });
        else await harness.decide(approval, "approve");
      }
      await harness.ended(runId);
    },
    ends: {
      statuses: ["executed", "executed"],
      ran: ["refund", "refund"],
      modelReads: "amount from 80 to 50",
    },
  },
  {
    name: "a person does the work and supplies the result",
    open: () => ({ ...oneRefund(), policy: definePolicy({ tools: { refund: manual() } }) }),
    async play(harness) {
      const { runId } = await harness.say("Refund A-1");
      await decide(harness, await harness.onlyPending(), { type: "respond", response: { paidBy: "hand" } });
      await harness.ended(runId);
    },
    ends: { statuses: ["responded"], ran: [], modelReads: "paidBy" },
  },
  {
    name: "the agent asks a question",
    open: () => ({
      ...deskTools(),
      reply: inTurns({ toolCalls: [{ name: "request_human_input", input: { message: "Which colour?" } }] }),
      policy: definePolicy({ tools: { lookup: allow() } }),
      network: (network, _step, countersign) => {
        const tool = countersign.requestHumanInput({ approvers: { roles: ["finance"] } });
        for (const agent of network.agents.values()) agent.tools.set(tool.name, tool);
        return undefined;
      },
    }),
    async play(harness) {
      const { runId } = await harness.say("Paint it");
      const response = { action: "accept", content: { answer: "blue" } };
      await decide(harness, await harness.onlyPending(), { type: "respond", response });
      await harness.ended(runId);
    },
    ends: { statuses: ["responded"], ran: [], modelReads: "blue" },
  },
  {
    name: "two people must approve a call",
    open: () => ({
      ...oneRefund(),
      policy: definePolicy({
        tools: { refund: ask({ quorum: 2, approvers: { roles: ["finance", "lead"] } }) },
      }),
    }),
    async play(harness) {
      const { runId } = await harness.say("Refund A-1");
      const approval = await harness.onlyPending();
      await harness.decide(approval, "approve", "finance");
      await harness.engine.idle();
      await harness.decide(approval, "approve", "lead");
      await harness.ended(runId);
    },
    ends: { statuses: ["executed"], ran: ["refund"] },
  },
  {
    name: "a call is decided after two reminders",
    open: () => ({
      ...oneRefund(),
      policy: definePolicy({
        tools: {
          refund: ask({
            timeout: "30m",
            escalation: [
              { after: "10m", remind: true },
              { after: "20m", remind: true },
            ],
          }),
        },
      }),
    }),
    async play(harness) {
      const { runId } = await harness.say("Refund A-1");
      const approval = await harness.onlyPending();
      for (const _rung of [1, 2]) {
        await harness.engine.idle();
        await harness.clock.advance("10m");
        await harness.clock.advance("2s");
        await harness.engine.idle();
      }
      await harness.decide(approval, "approve");
      await harness.ended(runId);
    },
    ends: { statuses: ["executed"], ran: ["refund"] },
  },
  {
    name: "a forged wake-up precedes the decision",
    open: oneRefund,
    async play(harness) {
      const { runId } = await harness.say("Refund A-1");
      const approval = await harness.onlyPending();
      const { requestId } = approval;
      const data = { requestId, token: await wakeUpTokenIn(harness.store, requestId), approved: true };
      await harness.engine.idle();
      await harness.inngest.send({ name: "countersign/request.wake-up", data });
      await harness.engine.idle();
      await harness.decide(approval, "deny");
      await harness.ended(runId);
    },
    ends: { statuses: ["denied"], ran: [] },
  },
  {
    name: "a decision is held",
    open: oneRefund,
    async play(harness) {
      const { runId } = await harness.say("Refund A-1");
      await decide(harness, await harness.onlyPending(), { type: "approve", holdMs: 6_000 });
      await harness.engine.idle();
      await harness.clock.advance("10s");
      await harness.ended(runId);
    },
    ends: { statuses: ["executed"], ran: ["refund"], modelReads: "ok" },
  },
  {
    name: "the model gives the same id to two calls",
    // Other agents send the model its own ids, which providers refuse.
    onlyAgentKit: true,
    open: () =>
      desk({ toolCalls: [{ ...refund, id: "refund" }] }, { toolCalls: [{ ...secondRefund, id: "refund" }] }),
    async play(harness) {
      const { runId } = await harness.say("Refund A-1 and A-2");
      const first = await harness.onlyPending();
      await harness.decide(first, "approve");
      await harness.decide(await harness.nextPending(first), "deny");
      await harness.ended(runId);
    },
    ends: { statuses: ["executed", "denied"], ran: ["refund"] },
  },
  {
    name: "an operator stops an allowed call while another call of its response waits",
    open: () => ({
      ...desk({ toolCalls: [refund, { name: "email", input: { to: "customer", text: "Done" } }] }),
      policy: definePolicy({ tools: { refund: ask(), "*": allow() } }),
    }),
    async play(harness) {
      const { runId } = await harness.say("Refund A-1 and tell the customer");
      const call = await harness.onlyPending();
      const stop = await stopCalls(harness.store, "email");
      await harness.decide(call, "approve");
      await harness.ended(runId);
      await releaseCalls(harness.store, stop);
    },
    ends: { statuses: ["executed"], ran: ["refund"], modelReads: "An operator has stopped calls of email" },
  },
  {
    name: "the policy denies every call",
    open: () => ({ ...oneRefund(), policy: definePolicy({ tools: { refund: deny("Frozen") } }) }),
    async play(harness) {
      const { runId } = await harness.say("Refund A-1");
      await harness.ended(runId);
    },
    ends: { statuses: ["denied"], ran: [], modelReads: "Frozen" },
  },
];
