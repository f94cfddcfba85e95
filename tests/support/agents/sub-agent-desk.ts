import type { Conversation } from "@countersign/testing";
import { type Agent, createAgent, createTool, type StateData, type Tool } from "@inngest/agent-kit";
import { allow, ask, definePolicy } from "countersign";
import { z } from "zod";
import { inTurns } from "../desk-tools.js";
import { openHarness } from "../harness.js";
import type { HarnessOptions } from "../harness-options.js";

/** What the handler of the tool `delegate` gets: everything it needs to start another agent. */
export type Handed = Tool.Options<StateData>;

interface DeskOptions extends Omit<HarnessOptions, "tools" | "reply"> {
  /** What the handler of the desk's tool `delegate` does. */
  delegate?: (options: Handed, pay: Tool.Any) => Promise<unknown>;
  /** Changes how the tool `delegate` is declared. */
  declared?: (tool: Tool.Any) => Tool.Any;
  /** Further options of the harness, which may use the tool `pay`. */
  withPay?: (pay: Tool.Any) => Partial<HarnessOptions>;
}

export const subAgentPolicy = definePolicy({
  tools: { delegate: allow(), pass_on: allow(), pay: ask({ approvers: { roles: ["finance", "lead"] } }) },
});

const payment = { toolCalls: [{ name: "pay", input: { amount: 80 } }] };

/** Agents do what their system prompt says: "You pay.", "You pass on.", and the desk delegates. */
function reply(conversation: Conversation) {
  if (conversation.system.includes("You pay.")) return inTurns(payment)(conversation);
  const name = conversation.system.includes("You pass on.") ? "pass_on" : "delegate";
  return inTurns({ toolCalls: [{ name, input: {} }] })(conversation);
}

/** A desk whose agent `support` delegates to other agents, which pay by a tool that needs a person. */
export async function openDesk({ delegate, declared = (tool) => tool, withPay, ...options }: DeskOptions) {
  const payments: unknown[] = [];
  const pay = createTool({
    name: "pay",
    parameters: z.object({ amount: z.number() }),
    handler: (input) => {
      payments.push(input);
      return "paid";
    },
  });
  let entries = 0;
  const tool = createTool({
    name: "delegate",
    parameters: z.object({}),
    handler: async (_input, handed) => {
      entries++;
      await delegate?.(handed as Handed, pay);
      return "delegated";
    },
  });
  const harness = await openHarness({
    policy: subAgentPolicy,
    ...options,
    ...withPay?.(pay),
    tools: [declared(tool)],
    reply,
  });
  return {
    harness,
    payments,
    /** How often the handler of `delegate` has started, which it does on each replay. */
    entries: () => entries,
    /** The last request to the model of the desk's own agent. */
    told: () =>
      JSON.stringify(
        harness.model.requests.findLast(({ body }) => !JSON.stringify(body).includes("You pay."))?.body,
      ),
    /** How often the model of the paying agent was asked. */
    askedToPay: () =>
      harness.model.requests.filter(({ body }) => JSON.stringify(body).includes("You pay.")).length,
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

/** An unguarded agent with the model of the agent whose handler makes it. */
export function payingAgent({ agent }: Pick<Handed, "agent">, pay: Tool.Any, name = "billing") {
  return createAgent<StateData>({ name, system: "You pay.", tools: [pay], ...modelOf(agent) });
}

export function modelOf({ model }: Agent<StateData>): { model?: NonNullable<Agent<StateData>["model"]> } {
  return model ? { model } : {};
}
