import { and, between, eq, isNotNull, isNull, like, or, sql } from "drizzle-orm";
import { type AnyPgColumn, alias } from "drizzle-orm/pg-core";
import type { Approval } from "../../approval/approval.js";
import { CountersignError } from "../../shared/errors.js";
import { audit } from "../audit/audit.js";
import { type Session, type Transaction, together } from "../database.js";
import type { ProposedCall } from "../ports/request-port.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, requests } from "../schema.js";

/**
 * True for an undo that has not happened and will not, so that another one may take its place. A failed one may be tried
 * again; an interrupted one only if a person found out that it did not happen.
 */
const isOver = sql.raw(
  "(earlier.status in ('denied', 'expired', 'withdrawn', 'failed') or earlier.resolution_outcome = 'failed')",
);

/**
 * Makes a new call the one that undoes another. Only one call at a time can: two people who ask at once wait for each
 * other's row, and the second one finds the first.
 *
 * @throws CountersignError `not_undoable` if the call has another undo by now, or if the time is over.
 */
export async function takeUndo(
  { db, now }: Transaction,
  { id: undoId, terms, undoWithinMs = null }: Pick<ProposedCall, "id" | "terms" | "undoWithinMs">,
  tenantId: string,
): Promise<void> {
  if (!terms.undoes) return;
  const earlier = sql<boolean>`(select ${isOver} from ${approvals} earlier where earlier.id = ${approvals.undoId})`;
  const its = and(eq(approvals.tenantId, tenantId), eq(approvals.id, terms.undoes.approvalId));
  const isInTime = sql<boolean>`(${undoWithinMs}::float8 is null
    or ${approvals.finishedAt} + ${undoWithinMs}::float8 * interval '1 millisecond' > ${now})`;
  const [taken] = await db
    .update(approvals)
    .set({ undoId })
    .where(
      and(
        its,
        hasStatus("executed"),
        isNull(approvals.undoneAt),
        or(isNull(approvals.undoId), earlier),
        isInTime,
      ),
    )
    .returning({ id: approvals.id });
  if (taken) return;
  const [found] = await db.select({ isInTime }).from(approvals).where(its);
  throw new CountersignError(
    "not_undoable",
    found?.isInTime === false
      ? "The time to undo this call is over"
      : "Somebody else has just asked for the undo of this call. Reload it to see it",
  );
}

/** Seconds after which the engine may have missed the start of an undo, and those during which it is sent again. */
const overdueSeconds = { from: 30, to: 3600 };
const maxOverdue = 200;

/**
 * The requests of undos that were asked for lately and have not started, or for which no run has waited to the end: its
 * start may be lost although people have decided. The engine knows the ids of their events for a day, so none of them
 * starts twice.
 */
export async function overdueUndos({ db, now }: Session): Promise<string[]> {
  const undo = alias(approvals, "undo");
  const secondsAgo = (seconds: number) => sql`${now} - ${seconds} * interval '1 second'`;
  const isOverdue = (createdAt: AnyPgColumn) =>
    between(createdAt, secondsAgo(overdueSeconds.to), secondsAgo(overdueSeconds.from));
  const [waiting, approved] = await together([
    db
      .selectDistinct({ requestId: requests.id, createdAt: requests.createdAt })
      .from(requests)
      .innerJoin(approvals, eq(approvals.requestId, requests.id))
      .where(
        and(
          isNull(requests.settledAt),
          isOverdue(requests.createdAt),
          like(approvals.toolName, "%.undo"),
          sql`${approvals.terms}->>'undoes' is not null`,
        ),
      )
      .orderBy(requests.createdAt)
      .limit(maxOverdue),
    db
      .select({ requestId: undo.requestId })
      .from(approvals)
      .innerJoin(undo, and(eq(undo.tenantId, approvals.tenantId), eq(undo.id, approvals.undoId)))
      .where(
        and(
          isNotNull(approvals.undoId),
          isNull(approvals.undoneAt),
          eq(undo.status, "approved"),
          isOverdue(undo.createdAt),
        ),
      )
      .orderBy(undo.createdAt)
      .limit(maxOverdue),
  ]);
  return [...new Set([...waiting, ...approved].map(({ requestId }) => requestId))];
}

/** The call that this one has undone is undone, in the same transaction. */
export async function finishUndo(
  session: Transaction,
  undo: Approval,
  actorId: string | null,
): Promise<void> {
  const { db, now } = session;
  const { terms, tenantId, id: undoId } = undo;
  if (!terms.undoes) return;
  const { approvalId } = terms.undoes;
  const marked = await db
    .update(approvals)
    .set({ undoneAt: now })
    .where(
      and(
        eq(approvals.tenantId, tenantId),
        eq(approvals.id, approvalId),
        eq(approvals.undoId, undoId),
        isNull(approvals.undoneAt),
      ),
    )
    .returning({ notify: approvals.notify });
  for (const { notify } of marked)
    audit(session, { tenantId, approvalId, type: "call.undone", notify, actorId, data: { undoId } });
}
