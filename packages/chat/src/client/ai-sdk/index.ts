import type { ApprovalView } from "countersign/client";

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
 * inbox, and when a call that people may undo has been undone. A chat that waits for its user, or whose turn is over, has no
 * stream, so it would go on offering the decision or the undo. Pass `resumeStream` of `useChat` as `onDecided`. Needs no React.
 *
 * @returns A function that ends the watch.
 *
 * @example
 * ```ts
 * import { onDecidedElsewhere, type ShownMessage } from "@countersign/chat/ai-sdk/client";
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
  const shown = callsIn(chat.messages.at(-1));
  const asked = shown.filter(({ decidableHere }) => decidableHere === true);
  const undoable = shown.filter((call) => msToUndo(call) > 0);
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(timer);
    stop.abort();
  };
  if (asked.length + undoable.length > 0) {
    const ms = Math.max(...undoable.map(msToUndo));
    if (asked.length === 0 && ms < maxTimerMs) timer = setTimeout(end, ms);
    void becomesDecided(chat, { asked, undoable }, stop.signal).then((isDecided) => {
      clearTimeout(timer);
      if (isDecided && !stop.signal.aborted) onDecided();
    });
  }
  return end;
}

/** Timers of browsers and of Node do not last longer. */
const maxTimerMs = 2 ** 31;

interface ShownCall {
  approvalId: string;
  decidableHere?: unknown;
  status?: ApprovalView["status"];
  undo?: ApprovalView["undo"];
}

/** The gated calls that a message shows. */
function callsIn(message: ShownMessage | undefined): ShownCall[] {
  return (message?.parts ?? []).flatMap(({ type, data }) =>
    type === "data-countersign" && typeof data === "object" && data !== null && "approvalId" in data
      ? (data as ShownCall)
      : [],
  );
}

/** Milliseconds for which somebody may still undo a call. One who asked in time may have to wait for others. */
function msToUndo({ status, undo }: ShownCall): number {
  if (status !== "executed" || !undo || undo.undoneAt !== null) return 0;
  if (undo.until === null || undo.undoId !== null) return Number.POSITIVE_INFINITY;
  return Date.parse(undo.until) - Date.now();
}

/** Resolves with `false` if the watch was ended, or the server refuses it. */
async function becomesDecided(
  { api, id, request, retryMs = 2000 }: ShownChat,
  { asked, undoable }: { asked: readonly ShownCall[]; undoable: readonly ShownCall[] },
  signal: AbortSignal,
): Promise<boolean> {
  const query = new URLSearchParams([
    ...asked.map(({ approvalId }) => ["approval", approvalId]),
    ...undoable.map(({ approvalId }) => ["undoable", approvalId]),
  ]);
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
