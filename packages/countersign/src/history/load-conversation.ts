import { unknownBeginning } from "../agentkit/transcript/order-conversation.js";
import { requestOfKey } from "../approval/entry-key.js";
import type { RunningTurn } from "../call/run/turn.js";
import type { Conversation } from "../store/ports/thread-port.js";
import type { Store } from "../store/store.js";
import { type ResultBody, resultOf, userContentOf } from "./entry-body.js";
import { inTimeOrder } from "./in-time-order.js";
import { shortenResponse, shortenText } from "./shorten.js";
import { withUndone } from "./undone-calls.js";
import { withUniqueIds } from "./unique-call-ids.js";
import { rebuiltResponses } from "./unrecorded-calls.js";

/** How much of a thread a run loads. */
export interface HistoryWindow {
  maxMessages: number;
  maxBytes: number;
}

/**
 * The part of a thread that a run's agents get: the latest that fits into the window. A call and its result are never
 * separated, and the conversation begins with a user message, as providers require.
 */
export async function loadConversation(
  store: Pick<Store, "readConversation" | "readMessageBefore">,
  { tenantId, threadId }: { tenantId: string; threadId: string },
  turn: RunningTurn | undefined,
  { maxMessages, maxBytes }: HistoryWindow,
): Promise<ResultBody[]> {
  // Keeps the last few messages, however long each of them is.
  const maxEntryBytes = Math.floor(maxBytes / 4);
  const found = await store.readConversation({
    tenantId,
    threadId,
    limit: maxMessages,
    maxBytes,
    maxEntryBytes,
    before: turn?.place,
    forRun: turn?.runId ?? null,
  });
  const responses = responsesOf(found, maxEntryBytes);
  const kept = responses.slice(firstThatFits(responses, maxMessages, maxBytes));
  if (kept[0] && !isUser(kept[0])) {
    const before = responses.slice(0, responses.length - kept.length).findLast(isUser);
    const [oldest] = found.entries;
    const entry =
      before || !oldest ? undefined : await store.readMessageBefore(tenantId, threadId, oldest.seq);
    kept.unshift(before ?? userResponse(entry ? userContentOf(entry.bodyJson) : "", maxEntryBytes));
  }
  return withUniqueIds(kept);
}

function responsesOf({ entries, unrecorded, undone }: Conversation, maxBytes: number): ResultBody[] {
  const told = (response: ResultBody, requestId: string | undefined) => {
    const known = { ...response, toolCalls: withUndone(response.toolCalls, undone, requestId) };
    return { ...known, ...shortenResponse(known, maxBytes) };
  };
  return inTimeOrder(entries, rebuiltResponses(unrecorded)).flatMap((item) => {
    if (!("kind" in item)) return told(item, item.requestId);
    if (item.kind === "user") {
      const content = userContentOf(item.bodyJson);
      // AgentKit does not send an empty message, and Anthropic refuses it.
      return content.trim() === "" ? [] : userResponse(content, maxBytes);
    }
    return told(resultOf(item.bodyJson), requestOfKey(item.key));
  });
}

const user = "user";

/** A user's message in the form of a response, as AgentKit's state holds it. */
function userResponse(content: string, maxBytes: number): ResultBody {
  const text = content.trim() === "" ? unknownBeginning : shortenText(content, maxBytes);
  return {
    agentName: user,
    output: [{ type: "text", role: "user", content: text }],
    toolCalls: [],
    createdAt: new Date(0),
  };
}

function isUser({ output }: ResultBody): boolean {
  const [first] = output;
  return first?.type === "text" && first.role === "user";
}

/** Index of the first of the last responses that fit. */
function firstThatFits(responses: readonly ResultBody[], maxMessages: number, maxBytes: number): number {
  let bytes = 0;
  let first = responses.length;
  for (const { output, toolCalls } of responses.slice(-maxMessages).reverse()) {
    bytes += Buffer.byteLength(JSON.stringify([output, toolCalls]));
    if (bytes > maxBytes) break;
    first--;
  }
  return first;
}
