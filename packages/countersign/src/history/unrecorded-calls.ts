import { refusalContent } from "../agentkit/transcript/transcript.js";
import type { Approval } from "../approval/approval.js";
import { type Refusal, refusalFor } from "../approval/refusal-text.js";
import type { Message, ToolMessage, ToolResultMessage } from "../call/message.js";
import { changesBetween, describeChanges } from "../decision/changes.js";

/** The calls of one response that no entry of the thread holds, in the form of an entry. */
export interface RebuiltResponse {
  requestId: string;
  agentName: string;
  output: Message[];
  toolCalls: ToolResultMessage[];
  createdAt: Date;
}

/**
 * Rebuilds responses whose run ended before it could save them, from the approvals of their gated calls that have
 * started. The model's text beside them, and calls that were allowed without asking, are unknown.
 */
export function rebuiltResponses(calls: readonly Approval[]): RebuiltResponse[] {
  const requests = new Map<string, Approval[]>();
  for (const call of calls) requests.set(call.requestId, [...(requests.get(call.requestId) ?? []), call]);
  return [...requests.values()].map((request) => rebuiltResponse(inOrder(request)));
}

function inOrder(calls: readonly Approval[]): Approval[] {
  return [...calls].sort((one, other) => one.position - other.position);
}

function rebuiltResponse(calls: readonly Approval[]): RebuiltResponse {
  const tools = calls.map(toolOf);
  return {
    requestId: calls[0]?.requestId ?? "",
    agentName: calls[0]?.agentName ?? "",
    output: [{ type: "tool_call", role: "assistant", stop_reason: "tool", tools }],
    toolCalls: calls.map((call) => ({
      role: "tool_result",
      type: "tool_result",
      tool: toolOf(call),
      content: contentOf(call),
      stop_reason: "tool",
    })),
    createdAt: calls[0]?.createdAt ?? new Date(0),
  };
}

function toolOf({ toolCallId, toolName, inputJson, edited }: Approval): ToolMessage {
  return { type: "tool", id: toolCallId, name: toolName, input: JSON.parse(edited?.inputJson ?? inputJson) };
}

/** The call's result in AgentKit's form. */
function contentOf(call: Approval): unknown {
  const { toolName, responseJson, outcomeJson } = call;
  if (call.status === "responded") return { data: JSON.parse(responseJson ?? "null") };
  const refusal = call.status === "executing" ? unfinished(call) : refusalFor(call);
  if (refusal || outcomeJson === null) return refusalContent(refusal ?? unfinished(call));
  const outcome: { data?: unknown; error?: unknown } = JSON.parse(outcomeJson);
  const content =
    call.status === "failed"
      ? { error: outcome.error }
      : { data: "data" in outcome ? outcome.data : `${toolName} successfully executed` };
  return { ...content, ...noteOf(call) };
}

function noteOf({ inputJson, edited }: Approval): { note?: string } {
  if (!edited) return {};
  return { note: describeChanges(changesBetween(JSON.parse(inputJson), JSON.parse(edited.inputJson))) };
}

function unfinished({ toolName, id }: Approval): Refusal {
  return {
    code: "execution_interrupted",
    approvalId: id,
    message: `This call of ${toolName} was approved and started, but its outcome is unknown: it may or may not have run, or may still be running. Do not repeat it; check its effect first or ask a person.`,
  };
}
