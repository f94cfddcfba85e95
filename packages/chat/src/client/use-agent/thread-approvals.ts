import type { ApprovalView } from "countersign/client";
import { ApprovalsApiError } from "countersign/client";

/** The functions of `createApprovalsClient` that are used. */
export interface ThreadClient {
  listApprovals(options: {
    query: { threadId: string; sort: "-created"; limit: number };
  }): Promise<{ items: ApprovalView[] }>;
  decide(options: { id: string; body: { digest: string } & ChatDecision }): Promise<unknown>;
  undo(options: { id: string; body: { digest: string; reason?: string } }): Promise<ApprovalView>;
  followEvents(options: { signal: AbortSignal }): AsyncIterable<{ event: string }>;
}

export interface ThreadApprovalsOptions {
  /** Called when the approvals could not be read. Reading them is retried. */
  onError?: (error: unknown) => void;
  /** Milliseconds before the stream of events is opened again. @default 2,000 */
  retryMs?: number;
}

/** The gated calls of one thread as one person sees them, kept up to date while somebody subscribes. */
export interface ThreadApprovals {
  /** For React's `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
  /** The calls, oldest first. Returns the same array until something changes. */
  getSnapshot(): readonly ApprovalView[];
  /** For the hook's `onEvent`: reads again when the stream reports that a call needs approval or has ended. */
  onEvent(event: { event: string }): void;
  /** Reads again now. */
  refresh(): Promise<void>;
  /**
   * Records a decision with the digest of the call that was shown.
   * @throws ApprovalsApiError like `decide` of the API, and Error if the call is not shown.
   */
  decide(toolCallId: string, decision: ChatDecision): Promise<void>;
  /**
   * Asks for the undo of a call that has run, with the digest of the call that was shown. Offer it if `undo.mayUndo` of the
   * call says so.
   * @returns the undo, a call of its own, which may wait for others.
   * @throws ApprovalsApiError like `undo` of the API, and Error if the call is not shown.
   */
  undo(toolCallId: string, reason?: string): Promise<ApprovalView>;
}

export type ChatDecision =
  | { type: "approve" | "deny"; reason?: string | undefined }
  | { type: "respond"; response: unknown };

/** Maximum number of calls of a thread that are shown. */
const maxCalls = 200;
/** Together, these two make ten seconds. */
const maxEarlyAttempts = 20;
const earlyPauseMs = 500;

export function followThread(
  client: ThreadClient,
  threadId: string,
  { onError = () => {}, retryMs = 2000 }: ThreadApprovalsOptions = {},
): ThreadApprovals {
  let approvals: readonly ApprovalView[] = [];
  let reading: Promise<void> | undefined;
  let again = false;
  let following: AbortController | undefined;
  const listeners = new Set<() => void>();

  const read = async () => {
    do {
      again = false;
      try {
        const { items } = await client.listApprovals({
          query: { threadId, sort: "-created", limit: maxCalls },
        });
        const found = items.toReversed();
        if (JSON.stringify(found) !== JSON.stringify(approvals)) {
          approvals = found;
          for (const listener of listeners) listener();
        }
      } catch (error) {
        onError(error);
      }
    } while (again);
  };
  /** Changes during a read cause one further read, however many they are. */
  const refresh = (): Promise<void> => {
    again = true;
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };

  const follow = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        for await (const { event } of client.followEvents({ signal })) {
          // The first event of each stream: what happened before it may have been missed.
          if (event === "hello" || event === "change" || event === "stops") void refresh();
        }
      } catch (error) {
        onError(error);
      }
      await pause(retryMs, signal);
    }
  };

  /** The call of the thread that has this id, preferably in this status. */
  const shown = (toolCallId: string, status: ApprovalView["status"]) => {
    const matching = approvals.filter((approval) => approval.toolCallId === toolCallId);
    const approval = matching.findLast((one) => one.status === status) ?? matching.at(-1);
    if (!approval) throw new Error("This call is not shown in this conversation. Reload to see its calls");
    return approval;
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (!following) {
        following = new AbortController();
        void follow(following.signal);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        following?.abort();
        following = undefined;
      };
    },
    getSnapshot: () => approvals,
    onEvent({ event }) {
      if (event === "hitl.requested" || event === "hitl.resolved") void refresh();
    },
    refresh,
    async decide(toolCallId, decision) {
      const { id, digest } = shown(toolCallId, "pending");
      try {
        await onceOpen(() => client.decide({ id, body: { digest, ...decision } }));
      } finally {
        await refresh();
      }
    },
    async undo(toolCallId, reason) {
      const { id, digest } = shown(toolCallId, "executed");
      try {
        return await client.undo({ id, body: { digest, ...(reason && { reason }) } });
      } finally {
        await refresh();
      }
    },
  };
}

/** The stream shows a call shortly before people may decide it. */
async function onceOpen(decide: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await decide();
      return;
    } catch (error) {
      const early = error instanceof ApprovalsApiError && error.code === "not_open";
      if (!early || attempt === maxEarlyAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, earlyPauseMs));
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
