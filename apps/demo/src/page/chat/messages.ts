import type { ChatApproval } from "@countersign/chat/ai-sdk";
import { getToolName, isToolUIPart, type UIMessage } from "ai";

/** A message of `useChat` with Countersign's data part. */
export type DeskMessage = UIMessage<unknown, { countersign: ChatApproval }>;
type Part = DeskMessage["parts"][number];
export type ToolPart = Extract<Part, { toolCallId: string }>;

/** A tool call, with its part and its approval as far as the chat has them. */
export interface Call {
  id: string;
  toolName: string;
  part: ToolPart | undefined;
  approval: ChatApproval | undefined;
}

export type Item = { kind: "text"; id: string; text: string } | { kind: "call"; id: string; call: Call };

/** What a message shows, in its order: texts, and each call once. */
export function itemsOf({ parts }: DeskMessage): Item[] {
  const items: Item[] = [];
  const calls = new Map<string, Call>();
  const callOf = (id: string, toolName: string): Call => {
    const known = calls.get(id);
    if (known) return known;
    const call: Call = { id, toolName, part: undefined, approval: undefined };
    calls.set(id, call);
    items.push({ kind: "call", id, call });
    return call;
  };
  parts.forEach((part, index) => {
    if (part.type === "text") {
      if (part.text.trim() !== "") items.push({ kind: "text", id: `text-${index}`, text: part.text });
    } else if (part.type === "data-countersign") {
      callOf(part.data.toolCallId, part.data.toolName).approval = part.data;
    } else if (isToolUIPart(part)) {
      callOf(part.toolCallId, getToolName(part)).part = part;
    }
  });
  return items;
}

/** A call that waits for people. */
export type OpenCall = Pick<ChatApproval, "approvalId" | "approvers">;

/** Calls of the last message that wait for people. */
export function openCalls(messages: readonly DeskMessage[]): OpenCall[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return [];
  return itemsOf(last).flatMap((item) =>
    item.kind === "call" && item.call.approval?.status === "pending" ? [item.call.approval] : [],
  );
}
