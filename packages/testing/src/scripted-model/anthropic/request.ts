import * as z from "zod";
import { toBlocks } from "../content-text.js";

const cacheControl = z.unknown().optional();

const text = z.strictObject({
  type: z.literal("text"),
  text: z.string(),
  citations: z.unknown().optional(),
  cache_control: cacheControl,
});
const media = z.looseObject({ type: z.enum(["image", "document", "search_result"]) });
const toolUse = z.strictObject({
  type: z.literal("tool_use"),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  input: z.record(z.string(), z.unknown()),
  cache_control: cacheControl,
});
const toolResult = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  content: z.preprocess(toBlocks, z.array(z.discriminatedUnion("type", [text, media])).optional()),
  is_error: z.boolean().optional(),
  cache_control: cacheControl,
});

const block = z.discriminatedUnion("type", [text, media, toolUse, toolResult]);

const message = z.strictObject({
  role: z.enum(["user", "assistant"]),
  content: z.preprocess(toBlocks, z.array(block)),
});

const tool = z.looseObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal("object") }),
});

/** The part of a messages request that the scripted model reads; other parameters pass unread. */
export const anthropicRequest = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(message),
  system: z.preprocess(toBlocks, z.array(text).optional()),
  tools: z.array(tool).optional(),
  stream: z.boolean().optional(),
});

export type AnthropicRequest = z.infer<typeof anthropicRequest>;
export type AnthropicMessage = AnthropicRequest["messages"][number];
export type AnthropicBlock = AnthropicMessage["content"][number];
