import {
  createAgent,
  createNetwork,
  createTool,
  type Network,
  type NetworkRun,
  openai,
  type StateData,
} from "@inngest/agent-kit";
import { z } from "zod";
import { countersign } from "./countersign";
import { findOrder, payBack } from "./orders";
import { settings } from "./settings";
import type { SupportState } from "./support-state";

/** Tools belong to no network, so AgentKit types their state loosely. */
const stateOf = ({ state }: Pick<NetworkRun<StateData>, "state">) => state.data as SupportState;

const lookUpOrder = createTool({
  name: "look_up_order",
  description: "Finds an order by its id.",
  parameters: z.object({ orderId: z.string() }),
  handler: ({ orderId }, { network }) => {
    const order = findOrder(orderId);
    if (!order) return `There is no order ${orderId}.`;
    stateOf(network).order = order;
    return order;
  },
});

const handOver = createTool({
  name: "hand_over_to_billing",
  description: "Lets billing go on, once the order is known and the customer wants money back.",
  parameters: z.object({}),
  handler: (_input, { network }) => {
    stateOf(network).billing = true;
    return "Billing takes over.";
  },
});

const issueRefund = createTool({
  name: "issue_refund",
  description: "Pays an order back.",
  parameters: z.object({ orderId: z.string(), amount: z.number().positive(), currency: z.literal("EUR") }),
  handler: ({ orderId, amount }) => payBack({ id: orderId, amount }),
});

const desk = createAgent<SupportState>({
  name: "desk",
  description: "Talks to the customer.",
  system:
    "You help customers. Look orders up before you say anything about them. Hand refunds over to billing.",
  tools: [lookUpOrder, handOver],
});

const billing = createAgent<SupportState>({
  name: "billing",
  description: "Pays orders back.",
  system: ({ network }) =>
    `You refund the order ${JSON.stringify(network?.state.data.order ?? null)}, and say how it went.`,
  tools: [issueRefund],
});

/** A new network for each run. */
export function createSupportNetwork(): Network<SupportState> {
  const network = createNetwork<SupportState>({
    name: "support",
    agents: [desk, billing],
    defaultModel: openai({
      model: settings.openAiModel,
      apiKey: settings.openAiKey,
      ...(settings.openAiBaseUrl && { baseUrl: settings.openAiBaseUrl }),
    }),
    history: countersign.history,
    maxIter: 10,
    router: ({ network, lastResult }) => {
      const { state } = network;
      if (!lastResult) return state.data.billing ? billing : desk;
      const usedTools = lastResult.toolCalls.length > 0;
      return usedTools ? (state.data.billing ? billing : desk) : undefined;
    },
  });
  return countersign.guard(network);
}
