import { asc, eq, sql } from "drizzle-orm";
import { isOpen } from "../../approval/status.js";
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
  const [request, , progress] = await inOrder(
    () => lockRequest(session, requestId),
    () => expireOverdue(session, requestId),
    () => progressOf(session, requestId),
  );
  if (progress.open > 0) return { ...progress, settled: false };
  if (!request || request.settledAt) return { ...progress, settled: true };
  if (request.rounds > round + 1) return { ...progress, settled: false };
  const { db, now } = session;
  session.send(db.update(requests).set({ settledAt: now }).where(eq(requests.id, requestId)).execute());
  session.send(db.delete(outbox).where(eq(outbox.requestId, requestId)).execute());
  return { ...progress, settled: true };
}

export async function peek(session: Transaction, requestId: string, round: number): Promise<RequestProgress> {
  const [request, , timed] = await inOrder(
    () => lockRequest(session, requestId),
    () => expireOverdue(session, requestId),
    () => timedApprovals(session, requestId),
  );
  await applyEscalation(session, timed);
  if (request) {
    await wakeUpIfComplete(session, request);
    await beginRound(session, request, round);
  }
  return progressOf(session, requestId);
}

async function progressOf(session: Session, requestId: string): Promise<RequestProgress> {
  const timed = await timedApprovals(session, requestId);
  const open = timed.filter(({ approval }) => isOpen(approval.status));
  return {
    approvals: timed.map(({ approval }) => approval),
    open: open.length,
    nextDeadlineMs: open.length === 0 ? 0 : Math.max(0, Math.ceil(Math.min(...open.map(msToNextStep)))),
  };
}

async function timedApprovals({ db, now }: Session, requestId: string): Promise<Timed[]> {
  const rows = await db
    .select({
      row: approvals,
      msOpen: sql<string | null>`extract(epoch from ${now} - ${approvals.announcedAt}) * 1000`,
      msLeft: sql<string | null>`extract(epoch from ${approvals.expiresAt} - ${now}) * 1000`,
    })
    .from(approvals)
    .where(eq(approvals.requestId, requestId))
    .orderBy(asc(approvals.position));
  return rows.map(({ row, msOpen, msLeft }) => ({
    approval: approvalFromRow(row),
    msOpen: Number(msOpen ?? 0),
    msLeft: Number(msLeft ?? 0),
  }));
}
