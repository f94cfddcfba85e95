import * as z from "zod";
import { toBlocks } from "../content-text.js";

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const content = z.preprocess(toBlocks, z.array(part));

const toolCall = z.looseObject({
  id: z.string().min(1).max(40),
  type: z.literal("function"),
  function: z.looseObject({
    name: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[a-zA-Z0-9_-]+$/),
    arguments: z.string(),
  }),
});

const message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("system"), content }),
  z.looseObject({ role: z.literal("developer"), content }),
  z.looseObject({ role: z.literal("user"), content }),
  z.looseObject({
    role: z.literal("assistant"),
    content: content.nullish(),
    tool_calls: z.array(toolCall).min(1).optional(),
  }),
  z.looseObject({ role: z.literal("tool"), tool_call_id: z.string(), content }),
]);

const tool = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({
    name: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[a-zA-Z0-9_-]+$/),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().nullish(),
  }),
});

/** The part of a chat-completions request that the scripted model reads; other parameters pass unread. */
export const openAiRequest = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z.array(tool).min(1).optional(),
  stream: z.boolean().nullish(),
});

export type OpenAiRequest = z.infer<typeof openAiRequest>;
export type OpenAiMessage = OpenAiRequest["messages"][number];
