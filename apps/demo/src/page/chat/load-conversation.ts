import type { ChatApproval } from "countersign/ai-sdk";
import type { AnswerOf, ApprovalsClient } from "countersign/client";
import { ApprovalsApiError, type ApprovalView } from "countersign/client";
import type { DeskMessage } from "./messages.js";

export interface StoredConversation {
  /** The messages of ended turns. Of a running turn, only the person's message: its stream sends the rest. */
  messages: DeskMessage[];
  isRunning: boolean;
}

type Thread = AnswerOf<"getThread">;
type StoredMessage = Thread["messages"][number];
type Part = DeskMessage["parts"][number];

/** Reads a conversation from the server, for a page that was reloaded. */
export async function loadConversation(
  api: Pick<ApprovalsClient, "getThread" | "listApprovals">,
  threadId: string,
): Promise<StoredConversation> {
  try {
    const [thread, approvals] = await Promise.all([
      api.getThread({ id: threadId }),
      api.listApprovals({ query: { threadId, limit: 200, sort: "-created" } }),
    ]);
    return conversationOf(thread, approvals.items);
  } catch (error) {
    // The thread does not exist before its first message.
    if (error instanceof ApprovalsApiError && error.status === 404) return { messages: [], isRunning: false };
    throw error;
  }
}

export function conversationOf(
  { id, status, messages: stored }: Pick<Thread, "id" | "status" | "messages">,
  approvals: readonly ApprovalView[],
): StoredConversation {
  const isRunning = status !== "done" && status !== "failed";
  const byCall = new Map(approvals.map((approval) => [approval.toolCallId, approval]));
  const lastAsked = stored.findLastIndex(({ role }) => role === "user");
  const messages: DeskMessage[] = [];
  let answer: Part[] = [];
  stored.slice(0, isRunning ? lastAsked + 1 : undefined).forEach((message, index) => {
    const key = `${id}-${index}`;
    if (message.role === "user") {
      answer = [];
      messages.push({ id: key, role: "user", parts: [{ type: "text", text: message.content }] });
      return;
    }
    if (answer.length === 0) messages.push({ id: key, role: "assistant", parts: answer });
    addParts(answer, message, byCall);
  });
  return { messages, isRunning };
}

function addParts(parts: Part[], message: StoredMessage, approvals: ReadonlyMap<string, ApprovalView>): void {
  if (message.role === "tool") {
    const at = parts.findIndex((part) => "toolCallId" in part && part.toolCallId === message.toolCallId);
    const part = parts[at];
    if (part && "toolCallId" in part) parts[at] = withResult(part, message.content);
  } else if (message.role === "assistant" && "toolCalls" in message) {
    for (const { id, name, input } of message.toolCalls) {
      parts.push({ type: `tool-${name}`, toolCallId: id, state: "input-available", input });
      const approval = approvals.get(id);
      if (approval) parts.push({ type: "data-countersign", id: approval.id, data: cardOf(approval) });
    }
  } else if (message.role === "assistant" && "content" in message) {
    parts.push({ type: "text", text: message.content, state: "done" });
  }
}

function withResult(part: Extract<Part, { toolCallId: string }>, content: unknown): Part {
  const { toolCallId, input } = part;
  const base = { type: part.type as `tool-${string}`, toolCallId, input };
  if (typeof content === "object" && content !== null && "error" in content) {
    const { error } = content;
    const errorText =
      typeof error === "object" && error !== null && "message" in error
        ? String(error.message)
        : String(error);
    return { ...base, state: "output-error", errorText };
  }
  const output =
    typeof content === "object" && content !== null && "data" in content ? content.data : content;
  return { ...base, state: "output-available", output };
}

/** The card of a call that is over, as the stream sends it. */
function cardOf({
  id,
  toolCallId,
  toolName,
  summary,
  flags,
  flagsTruncated,
  status,
  approvers,
  decision,
  editedInput,
  expiresAt,
}: ApprovalView): ChatApproval {
  return {
    approvalId: id,
    toolCallId,
    toolName,
    summary,
    flags,
    flagsTruncated,
    status,
    decidableHere: false,
    mayDecide: false,
    approvers,
    approvalsNeeded: 0,
    decidedBy: decision?.decidedBy ?? null,
    reason: decision?.reason ?? null,
    editedInput,
    expiresAt,
    url: null,
    refused: null,
  };
}
