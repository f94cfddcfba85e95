import { bytesOf, sizeText } from "@countersign/policy/internal/shared/byte-size";
import type { Message, ModelResponse, ToolMessage } from "../call/message.js";

/** The parts of a response that go to a model. */
export type Spoken = Pick<ModelResponse, "output" | "toolCalls">;

/**
 * The same response in about `maxBytes`, for a model. Long texts, arguments and results are cut; every call keeps its
 * place, its id and its result.
 */
export function shortenResponse({ output, toolCalls }: Spoken, maxBytes: number): Spoken {
  if (jsonBytes([output, toolCalls]) <= maxBytes) return { output, toolCalls };
  const calls = output.reduce((sum, part) => sum + (part.type === "tool_call" ? part.tools.length : 1), 0);
  const each = Math.max(100, Math.floor(maxBytes / (calls + 2 * toolCalls.length) / 2));
  return {
    output: output.map((part) => shortenPart(part, each)),
    toolCalls: toolCalls.map((answer) => ({
      ...answer,
      tool: shortenTool(answer.tool, each),
      content:
        jsonBytes(answer.content) <= each
          ? answer.content
          : {
              shortened: `The result is too long to repeat (${sizeOf(answer.content)}). It starts with: ${beginning(answer.content, each)}`,
            },
    })),
  };
}

function shortenTool(tool: ToolMessage, each: number): ToolMessage {
  if (jsonBytes(tool.input) <= each) return tool;
  const shortened = `The arguments are too long to repeat (${sizeOf(tool.input)}). They start with: ${beginning(tool.input, each)}`;
  return { ...tool, input: { shortened } };
}

function shortenPart(part: Message, each: number): Message {
  if (part.type === "text") {
    const content =
      typeof part.content === "string" ? part.content : part.content.map(({ text }) => text).join("");
    return { ...part, content: shortenText(content, each) };
  }
  if (part.type !== "tool_call") return part;
  return { ...part, tools: part.tools.map((tool) => shortenTool(tool, each)) };
}

/** A text of about `maxBytes` at most. */
export function shortenText(text: string, maxBytes: number): string {
  if (bytesOf(text) <= maxBytes) return text;
  return `${cut(text, maxBytes)}… (truncated; ${sizeText(bytesOf(text))} in total)`;
}

function beginning(value: unknown, maxBytes: number): string {
  return `${cut(JSON.stringify(value) ?? "", maxBytes)}…`;
}

/** The first bytes of a text, without a partial character at the end. */
function cut(text: string, maxBytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
}

function jsonBytes(value: unknown): number {
  return bytesOf(JSON.stringify(value) ?? "");
}

function sizeOf(value: unknown): string {
  return sizeText(jsonBytes(value));
}
