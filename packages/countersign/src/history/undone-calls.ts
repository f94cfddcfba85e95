import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import type { Approval } from "../approval/approval.js";
import type { ToolResultMessage } from "../call/message.js";

/** What the model reads beside the result of a call that was undone since. */
const undoneNote =
  "This call was undone later: its effect has been taken back. Do not rely on the result, and do not repeat the call unless you are asked to.";

/**
 * The results of a response's calls, with the word that some of them were undone.
 *
 * @param requestId Of the response; `undefined` if its entry does not name it. Providers may repeat the ids of calls.
 */
export function withUndone(
  toolCalls: readonly ToolResultMessage[],
  undone: readonly Approval[],
  requestId: string | undefined,
): ToolResultMessage[] {
  if (undone.length === 0) return [...toolCalls];
  const own = undone.filter((call) => requestId === undefined || call.requestId === requestId);
  const ids = new Set(own.map(({ toolCallId }) => toolCallId));
  return toolCalls.map((call) => (ids.has(call.tool.id) ? { ...call, content: noted(call.content) } : call));
}

function noted(content: unknown): unknown {
  if (!isPlainObject(content)) return { data: content, note: undoneNote };
  const { note } = content;
  return { ...content, note: typeof note === "string" ? `${note} ${undoneNote}` : undoneNote };
}
