import { createAgent, createNetwork, createTool, type Network, openai } from "@inngest/agent-kit";
import type { Countersign } from "countersign/agent-kit";
import { z } from "zod";

export interface SupportState {
  userId: string;
  plan?: string;
}

export const refunds: string[] = [];

/** The application's own network: triage looks the customer up, billing refunds. */
export function supportNetwork(countersign: Countersign): Network<SupportState> {
  const model = openai({ model: "gpt-4.1-mini" });
  const triage = createAgent<SupportState>({
    name: "triage",
    system: "You look things up.",
    model,
    tools: [
      createTool({
        name: "look_up",
        parameters: z.object({}),
        handler: (_input, { network }) => {
          network.state.data.plan = "gold";
          return { plan: "gold" };
        },
      }),
    ],
  });
  const billing = createAgent<SupportState>({
    name: "billing",
    system: "You refund.",
    model,
    tools: [
      createTool({
        name: "refund",
        parameters: z.object({ amount: z.number() }),
        handler: ({ amount }, { network }) => {
          refunds.push(`${network.state.data.userId} ${amount}`);
          return "paid";
        },
      }),
    ],
  });
  return createNetwork<SupportState>({
    name: "support",
    agents: [triage, billing],
    history: countersign.history,
    router: ({ network, lastResult }) => {
      if (!lastResult) return triage;
      return lastResult.toolCalls.length > 0 && network.state.data.plan ? billing : undefined;
    },
  });
}
