import { z } from "zod";
import { refusalSchema } from "../../approval/refusal-text.js";
import type { ThreadMessage } from "../../history/read-messages.js";

const refusedResult = z.object({ error: refusalSchema });

/** The calls of a conversation that were refused before anybody could be asked, each with the reason. */
export function refusedCalls(messages: readonly ThreadMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.role !== "tool") return [];
    const { data } = refusedResult.safeParse(message.content);
    return data?.error.approvalId === null ? [`${message.toolName} was refused: ${data.error.message}`] : [];
  });
}
