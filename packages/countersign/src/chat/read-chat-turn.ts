import { approvalView } from "../api/approval-view.js";
import type { ApprovalView } from "../api/contract/approval-schemas.js";
import { isOpen } from "../approval/status.js";
import type { Countersign } from "../instance/countersign.js";
import type { Principal } from "../shared/principal.js";
import { storeVerbs } from "../store/store.js";
import { type ChatTurn, chatTurn, recordedCalls, type WaitingRequest } from "./chat-turn.js";

/** Maximum number of gated calls of a turn that a chat shows. */
const maxCalls = 200;

/** The latest turn of a thread as one reader may see it; `null` before the first message. */
export async function readChatTurn(
  { threads, store }: Pick<Countersign, "threads" | "store">,
  threadId: string,
  reader: Principal,
  { seesEverything }: { seesEverything: boolean },
): Promise<ChatTurn | null> {
  const { tenantId } = reader;
  const verbs = storeVerbs(store);
  // The calls are read first. If a call ends between the two reads, it is in the thread.
  const calls = await verbs.listApprovals({
    tenantId,
    threadId,
    visibleTo: reader,
    order: { by: "createdAt", latestFirst: true },
    limit: maxCalls,
  });
  const turn = await threads.readLastTurn(threadId, reader, { seesEverything });
  if (!turn) return null;
  const stops = await verbs.engagedStops();
  const inThread = recordedCalls(turn.messages);
  const views = calls
    // A call of an earlier turn belongs to this turn if it ran after the new message.
    .filter((call) => call.agentName !== null && (call.createdAt >= turn.at || inThread.has(call)))
    .map((call) => ({ call, view: approvalView(call, reader, { seesEverything, stops }) }))
    .sort(
      (a, b) => a.call.createdAt.getTime() - b.call.createdAt.getTime() || a.call.position - b.call.position,
    );
  const byRequest = new Map<string, ApprovalView[]>();
  for (const { view } of views) {
    if (inThread.has(view)) continue;
    byRequest.set(view.requestId, [...(byRequest.get(view.requestId) ?? []), view]);
  }
  const waiting: WaitingRequest[] = await Promise.all(
    [...byRequest].map(async ([requestId, approvals]) => ({
      modelText: await threads.readModelText({ tenantId, threadId, requestId }, { seesEverything }),
      approvals,
    })),
  );
  const waits = turn.status === "waiting" && views.some(({ view }) => isOpen(view.status));
  return chatTurn(
    // Calls of earlier turns may wait for days. They do not keep this turn open.
    { ...turn, status: waits ? "waiting" : turn.lastRun },
    views.map(({ view }) => view),
    waiting,
    reader.id,
  );
}
