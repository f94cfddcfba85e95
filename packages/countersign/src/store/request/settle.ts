import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import { asc, eq, sql } from "drizzle-orm";
import { builtOnce, type ValueOf } from "../built-once.js";
import { inOrder, type Session, type Transaction } from "../database.js";
import type { RequestProgress, Settlement } from "../ports/request-port.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { approvals, outbox, requests } from "../schema.js";
import { applyEscalation, msToNextStep, type Timed } from "./apply-escalation.js";
import { expireOverdue } from "./expire-overdue.js";
import { lockRequest } from "./lock-request.js";
import { beginRound, wakeUpIfComplete } from "./wake-up.js";

/** `round`: the round the caller waited in. If a later round has begun, the request is not settled yet. */
export async function settle(
  session: Transaction,
  requestId: string,
  round = Number.POSITIVE_INFINITY,
): Promise<Settlement> {
  const [request, seen] = await inOrder(
    () => lockRequest(session, requestId),
    () => timedApprovals(session, requestId),
  );
  const progress = progressIn(await withoutOverdue(session, requestId, seen));
  if (progress.open > 0) return { ...progress, settled: false };
  if (!request || request.settledAt) return { ...progress, settled: true };
  if (request.rounds > round + 1) return { ...progress, settled: false };
  session.send(settling(session, { requestId }));
  return { ...progress, settled: true };
}

const settling = builtOnce(({ db, now }, value: ValueOf<"requestId">) => {
  const requestId = value("requestId");
  const answered = db
    .$with("answered")
    .as(db.delete(outbox).where(eq(outbox.requestId, requestId)).returning());
  return db.with(answered).update(requests).set({ settledAt: now }).where(eq(requests.id, requestId));
});

export async function peek(session: Transaction, requestId: string, round: number): Promise<RequestProgress> {
  const [request, seen] = await inOrder(
    () => lockRequest(session, requestId),
    () => timedApprovals(session, requestId),
  );
  await applyEscalation(session, await withoutOverdue(session, requestId, seen));
  if (request) {
    await wakeUpIfComplete(session, request);
    await beginRound(session, request, round);
  }
  return progressIn(await timedApprovals(session, requestId));
}

/** Expires what is overdue, and lets held decisions take effect. Returns the calls of the request as they are then. */
async function withoutOverdue(
  session: Transaction,
  requestId: string,
  seen: readonly Timed[],
): Promise<readonly Timed[]> {
  const isDue = ({ approval, msLeft, msHeld = msLeft }: Timed) =>
    approval.status === "pending" && msHeld <= 0;
  if (!seen.some(isDue)) return seen;
  await expireOverdue(session, requestId);
  return timedApprovals(session, requestId);
}

function progressIn(timed: readonly Timed[]): RequestProgress {
  const open = timed.filter(({ approval }) => isOpen(approval.status));
  return {
    approvals: timed.map(({ approval }) => approval),
    open: open.length,
    nextDeadlineMs: open.length === 0 ? 0 : Math.max(0, Math.ceil(Math.min(...open.map(msToNextStep)))),
  };
}

const timedRows = builtOnce(({ db, now }, value: ValueOf<"requestId">) =>
  db
    .select({
      row: approvals,
      msOpen: sql<string | null>`extract(epoch from ${now} - ${approvals.announcedAt}) * 1000`,
      msLeft: sql<string | null>`extract(epoch from ${approvals.expiresAt} - ${now}) * 1000`,
      msHeld: sql<string | null>`extract(epoch from ${approvals.heldUntil} - ${now}) * 1000`,
    })
    .from(approvals)
    .where(eq(approvals.requestId, value("requestId")))
    .orderBy(asc(approvals.position)),
);

async function timedApprovals(session: Session, requestId: string): Promise<Timed[]> {
  const rows = await timedRows(session, { requestId });
  return rows.map(({ row, msOpen, msLeft, msHeld }) => ({
    approval: approvalFromRow(row),
    msOpen: Number(msOpen ?? 0),
    msLeft: Number(msLeft ?? 0),
    msHeld: msHeld === null ? undefined : Number(msHeld),
  }));
}
