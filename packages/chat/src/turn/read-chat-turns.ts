import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval, Countersign } from "countersign";
import { apiContext } from "countersign/internal";
import type { Turn } from "countersign/types";
import { asksReader } from "./chat-approval.js";
import { type ChatTurn, chatTurn, recordedCalls, type WaitingRequest } from "./chat-turn.js";

/** Maximum number of gated calls of a thread that a chat shows. */
const maxCalls = 200;

/**
 * The latest turns of a thread, oldest first, as one reader may see them. Only the last one asks the reader.
 *
 * @param options.onlyLast At most the last turn. @default false
 */
export async function readChatTurns(
  countersign: Countersign,
  threadId: string,
  reader: Principal,
  { fullViewRoles, onlyLast = false }: { fullViewRoles: readonly string[]; onlyLast?: boolean },
): Promise<ChatTurn[]> {
  const { tenantId } = reader;
  const { threads } = countersign;
  const context = apiContext(countersign, { fullViewRoles, auditRoles: [], stopRoles: [] });
  const seesEverything = context.seesEverything(reader);
  // The calls are read first. If a call ends between the two reads, it is in the thread.
  const calls = await context.store.listApprovals({
    tenantId,
    threadId,
    visibleTo: reader,
    order: { by: "createdAt", latestFirst: true },
    limit: maxCalls,
  });
  const { earlier, last } = await threads.readTurns(threadId, reader, { seesEverything });
  if (!last) return [];
  const stops = await context.store.engagedStops();
  const withCalls = async (turn: Turn, own: readonly Approval[]) => {
    const inThread = recordedCalls(turn.messages);
    const views = own.map((call) => context.view(call, reader, { stops }));
    const unrecorded = views.filter((view) => !inThread.has(view));
    const waiting: WaitingRequest[] = await Promise.all(
      [...new Set(unrecorded.map(({ requestId }) => requestId))].map(async (requestId) => ({
        modelText: await threads.readModelText({ tenantId, threadId, requestId }, { seesEverything }),
        approvals: unrecorded.filter((view) => view.requestId === requestId),
      })),
    );
    if (turn !== last) return chatTurn({ ...turn, status: "done" }, views, waiting, () => false);
    // Calls of earlier turns may wait for days. They do not keep this turn open.
    const waits =
      last.status === "waiting" && views.some(({ status }) => status === "proposed" || status === "pending");
    return chatTurn({ ...turn, status: waits ? "waiting" : last.lastRun }, views, waiting, (approval) =>
      asksReader(approval, reader.id),
    );
  };
  let others = calls
    .filter(({ agentName }) => agentName !== null)
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || a.position - b.position);
  const found: Promise<ChatTurn>[] = [];
  for (const turn of onlyLast ? [last] : [last, ...earlier.toReversed()]) {
    const inThread = recordedCalls(turn.messages);
    // A call of an earlier turn belongs to a turn if it ran after its message.
    const isOwn = (call: Approval) => call.createdAt >= turn.at || inThread.has(call);
    found.unshift(withCalls(turn, others.filter(isOwn)));
    others = others.filter((call) => !isOwn(call));
  }
  return Promise.all(found);
}
