import type { Conversation } from "@countersign/testing";
import { type Agent, createAgent, createNetwork, createTool, type StateData } from "@inngest/agent-kit";
import { allow, ask, definePolicy } from "countersign";
import { z } from "zod";
import { deskTools, inTurns } from "../../../support/desk-tools.js";
import { eventually } from "../../../support/harness.js";
import type { HarnessOptions } from "../../../support/harness-options.js";
import { replaceable } from "../../../support/replaceable-policy.js";
import type { Scenario } from "../scenario.js";

const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const lookup = { name: "lookup", input: { id: "A-1" } };
const email = { name: "email", input: { to: "customer", text: "Refunded" } };

const asking = definePolicy({ tools: { refund: ask(), email: ask(), lookup: allow() } });
const allowing = definePolicy({ tools: { refund: allow(), email: allow(), lookup: allow() } });

/** Creates another agent with the model of the harness's own. */
function another(name: string, template: Agent<StateData>, tools: HarnessOptions["tools"]): Agent<StateData> {
  const { model } = template;
  return createAgent<StateData>({ name, system: `You are ${name}.`, tools, ...(model ? { model } : {}) });
}

/** Calls `email` for the mailer, and `refund` for every other agent. */
const byAgent = (conversation: Conversation) =>
  inTurns({ toolCalls: [conversation.system.includes("mailer") ? email : refund] })(conversation);

/** A desk whose tool `delegate` starts agents: the mailer writes emails, and the teller refunds. */
function delegating(work: (start: (name: string) => Promise<unknown>) => Promise<unknown>) {
  const { tools, effects } = deskTools();
  const delegate = createTool({
    name: "delegate",
    parameters: z.object({}),
    handler: async (_input, { agent }) => {
      await work((name) => another(name, agent as Agent<StateData>, tools).run("Do it"));
      return "delegated";
    },
  });
  return {
    tools: [delegate],
    effects,
    policy: definePolicy({ tools: { delegate: allow(), refund: ask(), email: ask() } }),
    reply: (conversation: Conversation) =>
      /mailer|teller/.test(conversation.system)
        ? byAgent(conversation)
        : inTurns({ toolCalls: [{ name: "delegate", input: {} }] })(conversation),
  };
}

/** Scenarios with several agents or runs, and with changes during a run. */
export const runScenarios: Scenario[] = [
  {
    name: "two agents of a network take turns",
    onlyAgentKit: true,
    open: () => {
      const { tools, effects } = deskTools();
      const once = (call: typeof refund | typeof email) => (conversation: Conversation) =>
        JSON.stringify(conversation.messages).includes(`"${call.name}"`) ? {} : { toolCalls: [call] };
      return {
        tools,
        effects,
        policy: asking,
        reply: (conversation) => ({
          text: "Done.",
          ...once(conversation.system.includes("mailer") ? email : refund)(conversation),
        }),
        run: async ({ countersign, agent, state, message }) => {
          const mailer = another("mailer", agent, tools);
          const turns = [agent, mailer];
          const network = countersign.guard(
            createNetwork<StateData>({
              name: "desk",
              agents: turns,
              router: ({ callCount }) => turns[callCount],
            }),
          );
          await network.run(message, { state });
        },
      };
    },
    async play(harness) {
      const { runId } = await harness.say("Refund A-1 and tell the customer");
      const first = await harness.onlyPending();
      await harness.decide(first, "approve");
      await harness.decide(await harness.nextPending(first), "approve");
      await harness.ended(runId);
    },
    ends: { statuses: ["executed", "executed"], ran: ["refund", "email"] },
  },
  {
    name: "two agents run side by side",
    onlyAgentKit: true,
    unordered: true,
    open: () => {
      const { tools, effects } = deskTools();
      return {
        tools,
        effects,
        policy: asking,
        reply: byAgent,
        run: async ({ countersign, agent, state, message }) => {
          const agents = [agent, another("mailer", agent, tools)];
          await Promise.all(
            agents.map((each) => countersign.guard(each).run(message, { state: state.clone(), maxIter: 2 })),
          );
        },
      };
    },
    async play(harness) {
      const { runId } = await harness.say("Refund A-1 and tell the customer");
      for (const approval of await harness.pending(2)) {
        await harness.decide(approval, approval.toolName === "email" ? "approve" : "deny");
      }
      await harness.ended(runId);
    },
    ends: { statuses: ["executed", "denied"], ran: ["email"] },
  },
  {
    name: "a tool handler runs two unguarded agents one after the other",
    onlyAgentKit: true,
    open: () => delegating(async (start) => [await start("mailer"), await start("teller")]),
    async play(harness) {
      const { runId } = await harness.say("Refund A-1 and tell the customer");
      const first = await harness.onlyPending();
      await harness.decide(first, "approve");
      await harness.decide(await harness.nextPending(first), "approve");
      await harness.ended(runId);
    },
    ends: { statuses: ["executed", "executed"], ran: ["email", "refund"], modelReads: "delegated" },
  },
  {
    name: "a tool handler runs two unguarded agents side by side",
    onlyAgentKit: true,
    unordered: true,
    open: () => delegating((start) => Promise.all([start("mailer"), start("teller")])),
    async play(harness) {
      const { runId } = await harness.say("Refund A-1 and tell the customer");
      for (const approval of await harness.pending(2)) {
        await harness.decide(approval, approval.toolName === "email" ? "approve" : "deny");
      }
      await harness.ended(runId);
    },
    ends: { statuses: ["executed", "denied"], ran: ["email"] },
  },
  {
    name: "an agent without a network has two turns",
    onlyAgentKit: true,
    open: () => ({
      ...deskTools(),
      policy: asking,
      reply: inTurns({ toolCalls: [refund] }, { toolCalls: [email] }),
      run: async ({ countersign, agent, state, message }) => {
        await countersign.guard(agent).run(message, { state, maxIter: 3 });
      },
    }),
    async play(harness) {
      const { runId } = await harness.say("Refund A-1 and tell the customer");
      const first = await harness.onlyPending();
      await harness.decide(first, "deny");
      await harness.decide(await harness.nextPending(first), "approve");
      await harness.ended(runId);
    },
    ends: { statuses: ["denied", "executed"], ran: ["email"] },
  },
  {
    name: "a new message supersedes a waiting call",
    open: () => ({
      ...deskTools(),
      policy: asking,
      countersign: { supersede: "on-new-message" },
      reply: ({ messages }) => {
        const userMessages = messages.filter(({ role }) => role === "user").length;
        const call = { name: "refund", input: { id: `A-${userMessages}`, amount: 80 } };
        return messages.at(-1)?.role === "user" ? { toolCalls: [call] } : { text: "Done." };
      },
    }),
    async play(harness) {
      const first = await harness.say("Refund A-1");
      const old = await harness.onlyPending();
      const second = await harness.say("No, wait", first.threadId);
      const next = await harness.nextPending(old);
      await harness.ended(first.runId);
      await harness.decide(next, "approve");
      await harness.ended(second.runId);
    },
    // Each run asks the model, and either may come first.
    unordered: true,
    ends: { statuses: ["withdrawn", "executed"], ran: ["refund"] },
  },
  {
    name: "a run is cancelled while it waits",
    open: () => ({ ...deskTools(), policy: asking, reply: inTurns({ toolCalls: [refund] }) }),
    async play({ engine, say, onlyPending, approval, ended }) {
      const { runId } = await say("Refund A-1");
      const { id } = await onlyPending();
      await engine.idle();
      await engine.fetch(`${engine.baseUrl}/v1/runs/${runId}`, { method: "DELETE" });
      await eventually(
        async () => ((await approval(id)).status === "withdrawn" ? true : undefined),
        "the approval is withdrawn",
      );
      await ended(runId, "Cancelled");
    },
    ends: { statuses: ["withdrawn"], ran: [] },
  },
  {
    name: "the policy is replaced by a looser one while a call waits",
    open: () => {
      const { policy, redeploy } = replaceable(asking);
      return {
        ...deskTools(),
        policy,
        // When the announcement is sent, the call has been proposed and its run waits.
        onEngineRequest: async (request, handle) => {
          if (new URL(request.url).pathname.startsWith("/e/")) {
            const sent = await request.clone().text();
            if (sent.includes("countersign/approval.pending")) redeploy(allowing);
          }
          return handle(request);
        },
        reply: inTurns({ toolCalls: [refund] }, { toolCalls: [lookup] }),
      };
    },
    async play(harness) {
      const { runId } = await harness.say("Refund A-1, then look it up");
      await harness.decide(await harness.onlyPending(), "deny");
      await harness.ended(runId);
    },
    ends: { statuses: ["denied"], ran: [], modelReads: "denied it" },
  },
  {
    name: "a plain function requires approval twice",
    onlyAgentKit: true,
    open: () => {
      const { effects } = deskTools();
      return {
        effects,
        tools: [],
        reply: () => ({ text: "unused" }),
        run: async ({ countersign, step, message }) => {
          const gate = {
            action: "drop table",
            details: { table: message },
            approvers: { roles: ["finance"] },
          };
          const first = await countersign.requireApproval(step, gate);
          if (first.approved) await step.run("drop", () => effects.push({ tool: "drop", input: message }));
          const again = await countersign.requireApproval(step, gate);
          return [first, again];
        },
      };
    },
    async play(harness) {
      const { runId } = await harness.say("orders");
      const first = await harness.onlyPending();
      await harness.decide(first, "approve");
      await harness.decide(await harness.nextPending(first), "deny");
      await harness.ended(runId);
    },
    ends: { statuses: ["executed", "denied"], ran: ["drop"] },
  },
  {
    name: "functions under a profile are called twice with equal arguments",
    onlyAgentKit: true,
    open: () => {
      const { effects } = deskTools();
      return {
        effects,
        tools: [],
        reply: () => ({ text: "unused" }),
        policy: definePolicy({ tools: {}, profiles: { night: { tools: { look: allow(), drop: ask() } } } }),
        run: async ({ countersign, message }) => {
          const fns = {
            look: async () => ({ rows: 3 }),
            drop: async (input: { table: string }) => effects.push({ tool: "drop", input }),
          };
          const gated = countersign.applyProfile(fns, { profile: "night", requester: { id: "requester" } });
          await gated.look();
          const drop = () => gated.drop({ table: message }).catch(({ message }: Error) => message);
          return [await drop(), await drop()];
        },
      };
    },
    async play(harness) {
      const { runId } = await harness.say("orders");
      const first = await harness.onlyPending();
      await harness.decide(first, "approve");
      await harness.decide(await harness.nextPending(first), "deny");
      await harness.ended(runId);
    },
    ends: { statuses: ["executed", "denied"], ran: ["drop"] },
  },
];
