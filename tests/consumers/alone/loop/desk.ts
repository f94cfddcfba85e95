// A loop and an agent of `ai`, without AgentKit, compiled with every check of every declaration file that they reach.
import { isStepCount, type LanguageModel, ToolLoopAgent, tool } from "ai";
import { type Countersign, gateTool } from "countersign";
import { durableModel, guardTools } from "countersign/ai-sdk";
import type { Inngest } from "inngest";
import { z } from "zod";

const context = { requester: { id: "ada" } };
const order = z.object({ orderId: z.string() });
const refund = gateTool({
  name: "refund",
  inputSchema: order,
  execute: ({ orderId }) => `refunded ${orderId}`,
});

export function functionsOf(
  inngest: Inngest,
  countersign: Countersign,
  model: Exclude<LanguageModel, string>,
  refunds: string[],
) {
  const loop = inngest.createFunction({ id: "loop", triggers: [{ event: "loop" }] }, async ({ step }) => {
    const gate = countersign.gate({ step, context });
    const { content } = await gate.call(refund, { id: "r", input: { orderId: "A-1" } });
    return content;
  });
  const agent = inngest.createFunction({ id: "agent", triggers: [{ event: "agent" }] }, async ({ step }) => {
    const tools = {
      refund: tool({
        inputSchema: order,
        execute: async ({ orderId }) => {
          refunds.push(orderId);
          return `refunded ${orderId}`;
        },
      }),
    };
    const gate = countersign.gate({ step, context });
    const desk = new ToolLoopAgent({
      model: durableModel(model, step),
      tools: guardTools(tools, gate),
      stopWhen: isStepCount(5),
    });
    return (await desk.generate({ prompt: "Refund A-2" })).text;
  });
  return [loop, agent];
}
