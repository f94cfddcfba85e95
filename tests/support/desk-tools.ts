import type { Conversation, Reply } from "@countersign/testing";
import { createTool } from "@inngest/agent-kit";
import { z } from "zod";

/** One start of a handler. */
export interface Effect {
  tool: string;
  input: unknown;
}

/** The tools of a small desk. `effects` records each start of a handler, in order. */
export function deskTools() {
  const effects: Effect[] = [];
  const ran = (tool: string, input: unknown) => {
    effects.push({ tool, input });
    return { ok: true };
  };
  const tools = [
    createTool({
      name: "lookup",
      parameters: z.object({ id: z.string() }),
      handler: (input) => ({ id: input.id, total: 80 }),
    }),
    createTool({
      name: "refund",
      description: "Refund an order",
      parameters: z.object({ id: z.string(), amount: z.number() }),
      handler: (input) => ran("refund", input),
    }),
    createTool({
      name: "email",
      parameters: z.object({ to: z.string(), text: z.string() }),
      handler: (input) => ran("email", input),
    }),
    createTool({
      name: "erase",
      parameters: z.object({ id: z.string() }),
      handler: (input) => ran("erase", input),
    }),
  ];
  return { tools, effects };
}

/** Gives these replies one after the other after each user message, and then "Done.". */
export function inTurns(...replies: Reply[]): (conversation: Conversation) => Reply {
  return ({ messages }) => {
    const asked = messages.findLastIndex((turn) => turn.role === "user");
    const answered = messages.slice(asked).filter((turn) => turn.role === "assistant").length;
    return replies[answered] ?? { text: "Done." };
  };
}

/** The tool results in a conversation, as the model reads them. */
export function toolResults(conversation: { messages: Conversation["messages"] }) {
  return conversation.messages.flatMap((turn) => (turn.role === "tool" ? [turn] : []));
}
