import type { ThreadEntryView, ThreadMessage } from "countersign/types";

/** A message as the hook's `fetchHistory` reads it. */
export interface HistoryMessage {
  message_id: string;
  type: "user" | "agent";
  createdAt: string;
  content?: string;
  data?: { agentName: string; output: unknown[]; toolCalls: unknown[] };
}

/**
 * The entries of a thread in the hook's format. The hook shows only the first text of a response. So all texts of a
 * response are joined, and a response without a text is omitted, which would appear as an empty message.
 */
export function historyOf(entries: readonly ThreadEntryView[]): HistoryMessage[] {
  return entries.flatMap(({ id, at, messages }): HistoryMessage[] => {
    const base = { message_id: id, createdAt: at.toISOString() };
    const [first] = messages;
    if (first?.role === "user") return [{ ...base, type: "user", content: first.content }];
    const text = messages.flatMap((message) => textOf(message) ?? []).join("\n\n");
    if (text === "") return [];
    const agentName = messages.find((message) => "agentName" in message)?.agentName ?? "";
    const calls = messages.flatMap((message) => ("toolCalls" in message ? message.toolCalls : []));
    return [
      {
        ...base,
        type: "agent",
        data: {
          agentName,
          output: [
            { type: "text", role: "assistant", content: text },
            ...(calls.length > 0
              ? [{ type: "tool_call", role: "assistant", stop_reason: "tool", tools: calls.map(toolOf) }]
              : []),
          ],
          toolCalls: messages.flatMap((message) =>
            message.role === "tool"
              ? [
                  {
                    type: "tool_result",
                    role: "tool_result",
                    stop_reason: "tool",
                    tool: { type: "tool", id: message.toolCallId, name: message.toolName },
                    content: message.content,
                  },
                ]
              : [],
          ),
        },
      },
    ];
  });
}

const toolOf = (call: { id: string; name: string; input: unknown }) => ({ type: "tool", ...call });

function textOf(message: ThreadMessage): string | undefined {
  return message.role === "assistant" && "content" in message ? message.content : undefined;
}
