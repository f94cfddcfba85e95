import type { UIMessage } from "ai";
import { CountersignError, type Principal } from "countersign";
import type { ChatApproval } from "countersign/ai-sdk";
import { countersign } from "./countersign";

/** A message of `useChat` with Countersign's data part. */
export type SupportMessage = UIMessage<unknown, { countersign: ChatApproval }>;

/** The texts of a conversation. Of a turn that is not over, only the user's message: its stream brings the rest. */
export async function readConversation(threadId: string, reader: Principal): Promise<SupportMessage[]> {
  const thread = await countersign.threads.read(threadId, reader).catch((error: unknown) => {
    // Nothing was said in it yet.
    if (CountersignError.isInstance(error) && error.code === "thread_not_found") return undefined;
    throw error;
  });
  if (!thread) return [];
  const isOver = thread.status === "done" || thread.status === "failed";
  const lastAsked = thread.messages.findLastIndex(({ role }) => role === "user");
  return thread.messages.slice(0, isOver ? undefined : lastAsked + 1).flatMap((message, index) =>
    message.role !== "tool" && "content" in message
      ? [
          {
            id: `${threadId}-${index}`,
            role: message.role,
            parts: [{ type: "text" as const, text: message.content }],
          },
        ]
      : [],
  );
}
