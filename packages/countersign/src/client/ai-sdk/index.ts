/** A chat of `useChat`, as its page shows it. */
export interface ShownChat {
  /** The chat's endpoint: `api` of its transport. */
  api: string;
  /** The chat's id. */
  id: string;
  messages: readonly ShownMessage[];
  /** Further options of the request, such as `headers`. @default none: the browser sends cookies to its own origin */
  request?: Omit<RequestInit, "signal">;
  /** Milliseconds before a broken connection is opened again. @default 2,000 */
  retryMs?: number;
}

/** The part of a message that is read. */
export interface ShownMessage {
  role: string;
  parts: readonly { type: string; data?: unknown }[];
}

/**
 * Calls `onDecided` as soon as a call that the chat offers for decision has been decided elsewhere, for example in the
 * inbox. While a chat waits for its user, it has no stream, so it would go on offering the decision. Pass
 * `resumeStream` of `useChat` as `onDecided`. Needs no React.
 *
 * @returns A function that ends the watch.
 *
 * @example
 * ```ts
 * import { onDecidedElsewhere, type ShownMessage } from "countersign/ai-sdk-client";
 *
 * declare const chat: { messages: ShownMessage[]; resumeStream(): Promise<void> };
 *
 * const stop = onDecidedElsewhere(
 *   { api: "/api/chat", id: "thread-1", messages: chat.messages },
 *   chat.resumeStream,
 * );
 * stop();
 * ```
 */
export function onDecidedElsewhere(chat: ShownChat, onDecided: () => unknown): () => void {
  const asked = askedIn(chat.messages.at(-1));
  const stop = new AbortController();
  if (asked.length > 0) {
    void becomesDecided(chat, asked, stop.signal).then((isDecided) => {
      if (isDecided && !stop.signal.aborted) onDecided();
    });
  }
  return () => stop.abort();
}

/** The approvals that a message offers for decision. */
function askedIn(message: ShownMessage | undefined): string[] {
  return (message?.parts ?? []).flatMap(({ type, data }) => {
    if (type !== "data-countersign" || typeof data !== "object" || data === null) return [];
    const { approvalId, decidableHere } = data as { approvalId?: unknown; decidableHere?: unknown };
    return decidableHere === true && typeof approvalId === "string" ? approvalId : [];
  });
}

/** Resolves with `false` if the watch was ended, or the server refuses it. */
async function becomesDecided(
  { api, id, request, retryMs = 2000 }: ShownChat,
  asked: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const query = new URLSearchParams(asked.map((approval) => ["approval", approval]));
  const url = `${api.replace(/\/+$/, "")}/${encodeURIComponent(id)}/decided?${query}`;
  while (!signal.aborted) {
    try {
      const response = await fetch(url, { ...request, signal });
      if (response.status >= 400 && response.status < 500 && response.status !== 429) return false;
      if (response.status === 204) return false;
      if (response.ok && (await response.text()).includes("data: decided")) return true;
    } catch {
      // The connection broke, or the watch was ended.
    }
    await pause(retryMs, signal);
  }
  return false;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    function end() {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    }
    signal.addEventListener("abort", end);
  });
}
