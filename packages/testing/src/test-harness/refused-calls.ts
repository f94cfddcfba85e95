import { refusalSchema } from "countersign/internal";
import type { ThreadMessage } from "countersign/types";
import * as z from "zod";

const refusedResult = z.object({ error: refusalSchema });

/** The calls of a conversation that were refused before anybody could be asked, each with the reason. */
export function refusedCalls(messages: readonly ThreadMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.role !== "tool") return [];
    const { data } = refusedResult.safeParse(message.content);
    return data?.error.approvalId === null ? [`${message.toolName} was refused: ${data.error.message}`] : [];
  });
}
