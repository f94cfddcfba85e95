import type { Principal } from "@countersign/policy/internal/shared/principal";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { requestOfKey, resultKey } from "../approval/entry-key.js";
import type { Message } from "../call/message.js";
import type { Runtime } from "../call/run/runtime.js";
import type { Conversation, ConversationFilter, Thread, ThreadEntry } from "../store/ports/thread-port.js";
import { resultOf, userContentOf } from "./entry-body.js";
import { inTimeOrder } from "./in-time-order.js";
import { type MessageRedaction, messageRedaction } from "./redact-messages.js";
import { rebuiltResponses } from "./unrecorded-calls.js";

/** One message of a thread as people read it. */
export type ThreadMessage =
  | { role: "user"; content: string }
  | { role: "assistant"; agentName: string; content: string }
  | { role: "assistant"; agentName: string; toolCalls: { id: string; name: string; input: unknown }[] }
  | { role: "tool"; toolCallId: string; toolName: string; content: unknown };

/** A user's message, or a response with its calls and their results. */
export interface SpokenEntry {
  key: string;
  at: Date;
  messages: ThreadMessage[];
}

const requests = new WeakMap<ThreadMessage, string>();

/** The request of the response that a message belongs to; `undefined` in entries that the host wrote. */
export function requestOf(message: ThreadMessage): string | undefined {
  return requests.get(message);
}

/** The reader, and whether anything is redacted for them. */
export interface ThreadReader {
  principal: Principal;
  seesEverything: boolean;
}

/** One part of a thread as this reader may read it. Reads only the calls of this part, and what the thread redacts. */
export async function readMessages(
  { store, redactPatterns }: Pick<Runtime, "store" | "redactPatterns">,
  thread: Thread,
  { principal, seesEverything }: ThreadReader,
  part: Omit<ConversationFilter, "tenantId" | "threadId">,
): Promise<
  Pick<Conversation, "entries" | "hasOlder"> & { messages: ThreadMessage[]; spoken: SpokenEntry[] }
> {
  const { tenantId, id: threadId } = thread;
  const found = await store.readConversation({ tenantId, threadId, ...part });
  const redaction = seesEverything
    ? messageRedaction({ calls: [], ofThread: { calls: [], redactPatterns: [] } }, [], { seesEverything })
    : messageRedaction(
        {
          calls: [
            ...found.unrecorded,
            ...(await store.callsOfEntries({ tenantId, threadId, ...callsNamedIn(found.entries) })),
          ],
          ofThread: await store.hiddenInThread(tenantId, threadId),
        },
        redactPatterns,
        { seesEverything },
      );
  // A call that is running has no result yet.
  const running = new Set(
    found.unrecorded.flatMap(({ status, toolCallId }) => (status === "executing" ? toolCallId : [])),
  );
  const isOwner = thread.ownerId === principal.id;
  const entries = inTimeOrder(found.entries, rebuiltResponses(found.unrecorded)).map((item): SpokenEntry => {
    if ("kind" in item) {
      return { key: item.key, at: item.createdAt, messages: messagesOf(item, redaction, isOwner) };
    }
    const toolCalls = item.toolCalls.filter(({ tool }) => !running.has(tool.id));
    return {
      key: resultKey(item.requestId),
      at: item.createdAt,
      messages: spoken({ ...item, toolCalls }, redaction),
    };
  });
  for (const { key, messages } of entries) {
    const requestId = requestOfKey(key);
    if (requestId === undefined) continue;
    for (const message of messages) requests.set(message, requestId);
  }
  return {
    entries: found.entries,
    hasOlder: found.hasOlder,
    spoken: entries,
    messages: entries.flatMap(({ messages }) => messages),
  };
}

/** The calls in entries: ours name their request, those that the host wrote only have the calls' ids. */
function callsNamedIn(entries: readonly ThreadEntry[]): { requestIds: string[]; toolCallIds: string[] } {
  const requestIds: string[] = [];
  const toolCallIds: string[] = [];
  for (const { kind, key, bodyJson } of entries) {
    if (kind === "user") continue;
    const requestId = requestOfKey(key);
    if (requestId !== undefined) requestIds.push(requestId);
    else toolCallIds.push(...resultOf(bodyJson).toolCalls.map(({ tool }) => storableText(tool.id)));
  }
  return { requestIds, toolCallIds };
}

function messagesOf(entry: ThreadEntry, redaction: MessageRedaction, isOwner: boolean): ThreadMessage[] {
  if (entry.kind === "result") return spoken(resultOf(entry.bodyJson), redaction);
  const content = userContentOf(entry.bodyJson);
  // The author knows the content.
  return [{ role: "user", content: isOwner ? content : redaction.words(content) }];
}

function spoken(
  { agentName, output, toolCalls }: { agentName: string; output: Message[]; toolCalls: Message[] },
  redaction: MessageRedaction,
): ThreadMessage[] {
  return [...output, ...toolCalls].map((message) => messageOf(message, agentName, redaction));
}

function messageOf(message: Message, agentName: string, redaction: MessageRedaction): ThreadMessage {
  switch (message.type) {
    case "text":
      return { role: "assistant", agentName, content: redaction.words(textOf(message.content)) };
    case "tool_call":
      return {
        role: "assistant",
        agentName,
        toolCalls: message.tools.map(({ id, name, input }) => ({
          id,
          name,
          input: redaction.input(id, input),
        })),
      };
    case "tool_result":
      return {
        role: "tool",
        toolCallId: message.tool.id,
        toolName: message.tool.name,
        content: redaction.result(message.tool.id, message.content),
      };
  }
}

function textOf(content: string | { text: string }[]): string {
  return typeof content === "string" ? content : content.map((part) => part.text).join("");
}
