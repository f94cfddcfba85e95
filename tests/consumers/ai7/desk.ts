// A desk of `ai` 7, compiled with every check of every declaration file that it reaches.
import { createTool } from "@inngest/agent-kit";
import { generateText, isStepCount, type LanguageModel, ToolLoopAgent, tool } from "ai";
import type { Countersign } from "countersign/agent-kit";
import { durableModel, fromAgentKit, guardTools, modelMessages } from "countersign/ai-sdk";
import type { Inngest } from "inngest";
import { z } from "zod";

declare const inngest: Inngest;
declare const countersign: Countersign;
declare const model: Exclude<LanguageModel, string>;

const order = z.object({ orderId: z.string() });
const tools = {
  look_up: tool({ inputSchema: order, execute: async ({ orderId }) => ({ orderId, paid: 80 }) }),
  refund: fromAgentKit(
    createTool({
      name: "refund",
      parameters: order,
      handler: ({ orderId }) => `refunded ${orderId}`,
    }),
  ),
  request_human_input: fromAgentKit(countersign.requestHumanInput()),
};

export const desk = inngest.createFunction(
  { id: "desk", triggers: [{ event: "desk/message" }] },
  async ({ event, step }) => {
    const {
      threadId,
      userId,
      text: message,
    } = z.object({ threadId: z.string(), userId: z.string(), text: z.string() }).parse(event.data);
    const gate = countersign.gate({ step, context: { threadId, requester: { id: userId } } });
    const messages = modelMessages(await gate.begin(message));
    const durable = durableModel(model, step);
    const guarded = guardTools(tools, gate, { idempotent: ["look_up"] });
    const agent = new ToolLoopAgent({ model: durable, tools: guarded, stopWhen: isStepCount(5) });
    const first = await agent.generate({ messages });
    const { text, toolResults } = await generateText({ model: durable, tools: guarded, messages });
    for (const result of toolResults) {
      // What a tool returns keeps its type.
      if (!result.dynamic && result.toolName === "look_up") result.output.paid.toFixed(2);
    }
    await gate.end(text || first.text);
  },
);
