import type { ApprovalDescriptor, ChatApproval } from "../turn/chat-approval.js";
import type { ChatCall, ChatTurn } from "../turn/chat-turn.js";
import type { Chunk } from "./chunks.js";
import { createTurnEncoder, type EncoderOptions } from "./encode-turn.js";

/** A message of `useChat`: assignable to `UIMessage<unknown, { countersign: ChatApproval }>` of `ai` 6 and 7. */
export interface ChatUIMessage {
  id: string;
  role: "user" | "assistant";
  parts: ChatPart[];
}

export type ChatPart =
  | { type: "text"; text: string; state?: "done" }
  | { type: "step-start" }
  | { type: "data-countersign"; id: string; data: ChatApproval }
  | ChatToolPart;

export type ChatToolPart = ChatToolCall & ChatToolState;

export interface ChatToolCall {
  type: `tool-${string}`;
  toolCallId: string;
  input: unknown;
  title?: string;
  toolMetadata?: { countersign: { approvalId: string; digest: string } };
}

export type ChatToolState =
  | { state: "input-available" }
  | { state: "approval-requested"; approval: { id: string; descriptor: ApprovalDescriptor } }
  | { state: "output-available"; output: unknown; approval?: ChatVerdict<true> }
  | { state: "output-error"; errorText: string; approval?: ChatVerdict<true> }
  | { state: "output-denied"; approval: ChatVerdict<false> };

/** A person's decision about a call. */
export interface ChatVerdict<Approved extends boolean> {
  id: string;
  approved: Approved;
  reason?: string;
}

/**
 * The messages of turns, with the parts that the turns' streams have. A turn that is not over has only the user's
 * message: its stream replaces the response, so an answer that was given to a button meanwhile would be lost.
 */
export function uiMessagesOf(
  turns: readonly ChatTurn[],
  { urlOf }: Pick<EncoderOptions, "urlOf">,
): ChatUIMessage[] {
  return turns.flatMap((turn) => {
    const { asked, status } = turn;
    const question: ChatUIMessage = {
      id: asked.id,
      role: "user",
      parts: [{ type: "text", text: asked.text }],
    };
    if (status === "running" || status === "waiting") return [question];
    const encoder = createTurnEncoder({ urlOf });
    const chunks = encoder.encode(turn);
    const parts = partsOf([...chunks, ...(status === "done" ? encoder.closeTurn() : [])], turn);
    return chunks.length === 0 ? [question] : [question, { id: turn.id, role: "assistant", parts }];
  });
}

/** Applies chunks as the AI SDK's client does. */
function partsOf(chunks: readonly Chunk[], turn: ChatTurn): ChatPart[] {
  const parts: ChatPart[] = [];
  const places = new Map<string, number>();
  const put = (key: string, part: ChatPart) => {
    const place = places.get(key) ?? parts.length;
    places.set(key, place);
    parts[place] = part;
  };
  const calls = new Map(turn.steps.flatMap((step) => step.calls).map((call) => [call.toolCallId, call]));
  const shown = new Map<string, ChatToolCall>();
  for (const chunk of chunks) {
    if (chunk.type === "start-step") parts.push({ type: "step-start" });
    if (chunk.type === "text-delta") parts.push({ type: "text", text: chunk.delta, state: "done" });
    if (chunk.type === "data-countersign") put(`card:${chunk.id}`, chunk);
    if (!("toolCallId" in chunk)) continue;
    const { toolCallId } = chunk;
    if (chunk.type === "tool-input-available") {
      const { type: _, toolName, ...call } = chunk;
      shown.set(toolCallId, { ...call, type: `tool-${toolName}` });
    }
    const part = shown.get(toolCallId);
    const call = calls.get(toolCallId);
    if (part && call) put(`call:${toolCallId}`, { ...part, ...stateAfter(chunk, call) });
  }
  return parts;
}

function stateAfter(chunk: Extract<Chunk, { toolCallId: string }>, call: ChatCall): ChatToolState {
  switch (chunk.type) {
    case "tool-input-available":
      return { state: "input-available" };
    case "tool-approval-request":
      return {
        state: "approval-requested",
        approval: { id: chunk.approvalId, descriptor: chunk.approvalDescriptor },
      };
    case "tool-output-available":
      return { state: "output-available", output: chunk.output, ...approvedBy(call) };
    case "tool-output-error":
      return { state: "output-error", errorText: chunk.errorText, ...approvedBy(call) };
    case "tool-output-denied":
      return { state: "output-denied", approval: verdictOf(call, false) };
  }
}

function verdictOf<Approved extends boolean>(
  { approval, toolCallId }: ChatCall,
  approved: Approved,
): ChatVerdict<Approved> {
  const reason = approval?.decision?.reason;
  return { id: approval?.id ?? toolCallId, approved, ...(reason && { reason }) };
}

/** Only a person's approval is one for the AI SDK. */
function approvedBy(call: ChatCall): { approval?: ChatVerdict<true> } {
  const { type, decidedBy = null } = call.approval?.decision ?? {};
  return decidedBy !== null && (type === "approve" || type === "edit")
    ? { approval: verdictOf(call, true) }
    : {};
}
