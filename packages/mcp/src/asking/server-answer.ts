import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import { type CallToolResult, isInputRequiredResult } from "@modelcontextprotocol/client";
import * as z from "zod";
import type { PushedAnswer } from "./connection.js";
import type { ServerAnswer } from "./exchange.js";
import type { CheckedServer } from "./server-options.js";

/** One `tools/call` request. A repeated one also has the answers and the unchanged state. */
export interface ToolRequest {
  /** Names the call in this process. The server gets it in `_meta`, so that it can recognise a repeated request. */
  callId: string;
  tool: string;
  arguments: Record<string, unknown>;
  inputResponses?: Record<string, PushedAnswer>;
  requestState?: string;
}

/** The parameters of the request. Apart from the answers and the state, they are the same in every round. */
export function paramsOf({ callId, tool, arguments: input, inputResponses, requestState }: ToolRequest) {
  return {
    name: tool,
    arguments: input,
    _meta: { "countersign/call-id": callId },
    ...(inputResponses && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

/** The answer in a result. */
export function answerOf(server: CheckedServer, result: unknown): ServerAnswer {
  if (isInputRequiredResult(result)) {
    const { inputRequests = {}, requestState } = result;
    return { kind: "asks", requests: inputRequests, requestState, resumes: "request" };
  }
  const { content, structuredContent, isError } = result as CallToolResult;
  if (isError)
    return {
      kind: "failed",
      message: textOf(content) || `The MCP server "${server.name}" reported an error`,
    };
  return { kind: "done", content: content.length === 0 && structuredContent ? structuredContent : content };
}

const textPart = z.object({ type: z.literal("text"), text: z.string() });

function textOf(content: CallToolResult["content"]): string {
  return content.flatMap((part) => textPart.safeParse(part).data?.text ?? []).join("\n");
}

const requiredUrls = z.object({
  code: z.literal(-32042),
  data: z.object({
    elicitations: z
      .array(z.object({ mode: z.literal("url") }).loose())
      .min(1)
      .max(20),
  }),
});

/** The answer in an error: nothing was sent, a person must open addresses first, or the call failed. */
export function answerOfError(server: CheckedServer, error: unknown): ServerAnswer {
  const urls = requiredUrls.safeParse(error);
  if (urls.success) {
    const requests = urls.data.data.elicitations.map((params, index) => [
      String(index),
      { method: "elicitation/create", params },
    ]);
    return {
      kind: "asks",
      requests: Object.fromEntries(requests),
      requestState: undefined,
      resumes: "call",
    };
  }
  if (wasNeverSent(error)) return { kind: "unreachable" };
  if (protocolError.safeParse(error).success) {
    return {
      kind: "failed",
      message: `The MCP server "${server.name}" refused the call: ${(error as Error).message}`,
    };
  }
  return {
    kind: "failed",
    message: `The MCP server "${server.name}" gave no usable answer (${nameOfThrown(error)}). The call may or may not have run. Do not repeat it; check its effect first or ask a person.`,
  };
}

/** The server's own JSON-RPC error. */
const protocolError = z.object({ name: z.string(), code: z.number().int().max(-32000), message: z.string() });

const beforeSending = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

function wasNeverSent(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const code: unknown = Reflect.get(cause, "code");
    if (typeof code === "string" && beforeSending.has(code)) return true;
  }
  return false;
}
