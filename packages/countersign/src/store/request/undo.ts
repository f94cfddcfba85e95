import { randomUUID } from "node:crypto";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { and, between, eq, isNotNull, isNull, like, or, sql } from "drizzle-orm";
import { type AnyPgColumn, alias } from "drizzle-orm/pg-core";
import type { Approval } from "../../approval/approval.js";
import { audit } from "../audit/audit.js";
import type { CallSeen } from "../call-seen.js";
import type { CallChange } from "../changes.js";
import { type NewAuditEntry, type Session, type Transaction, together } from "../database.js";
import { type EvidenceName, timeOf } from "../evidence/evidence.js";
import type { Sealer } from "../evidence/sealing.js";
import type { ProposedCall, UndoAsked } from "../ports/request-port.js";
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
  { id: undoId, terms, undo }: Pick<ProposedCall, "id" | "terms" | "undo">,
  tenantId: string,
): Promise<void> {
  if (!terms.undoes) return;
  const earlier = sql<boolean>`(select ${isOver} from ${approvals} earlier where earlier.id = ${approvals.undoId})`;
  const its = and(eq(approvals.tenantId, tenantId), eq(approvals.id, terms.undoes.approvalId));
  const until = undo?.until?.toISOString() ?? null;
  const isInTime = sql<boolean>`coalesce(${until}::timestamptz > ${now}, true)`;
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

/** The signature of whoever asks for an undo, with its names for the log. `undefined` for all other calls. */
export async function signWish(
  session: Session,
  {
    id: approvalId,
    tenantId,
    digest,
    terms: { undoes },
  }: Pick<Approval, "id" | "tenantId" | "digest" | "terms">,
  asked: UndoAsked | undefined,
  sealer: Sealer,
): Promise<{ token: string; entry: EvidenceName } | undefined> {
  if (!undoes) return undefined;
  const { claims, token } = await sealer.seal("undo", {
    id: `ask_${randomUUID()}`,
    tenantId,
    approvalId,
    digest,
    undoneId: undoes.approvalId,
    outcomeHash: undoes.outcomeHash,
    principalId: undoes.askedBy,
    roles: [...(asked?.roles ?? [])],
    iat: (await timeOf(session)) / 1000,
  });
  return { token, entry: { evidenceId: claims.id, keyId: sealer.keyId } };
}

/** Seconds after which the engine may have missed the start of an undo, and those during which it is sent again. */
const overdueSeconds = { from: 30, to: 3600 };
const maxOverdue = 200;

/**
 * The requests of an instance's undos that were asked for lately and have not started, or for which no run has waited to the end: its
 * start may be lost although people have decided. The engine knows the ids of their events for a day, so none of them
 * starts twice.
 */
export async function overdueUndos(
  { db, now }: Session,
  { appId, instanceId }: { appId: string; instanceId: string },
): Promise<string[]> {
  const undo = alias(approvals, "undo");
  const secondsAgo = (seconds: number) => sql`${now} - ${seconds} * interval '1 second'`;
  const isOverdue = (createdAt: AnyPgColumn) =>
    between(createdAt, secondsAgo(overdueSeconds.to), secondsAgo(overdueSeconds.from));
  const isOwn = and(eq(requests.appId, appId), eq(requests.instanceId, instanceId));
  const [waiting, approved] = await together([
    db
      .selectDistinct({ requestId: requests.id, createdAt: requests.createdAt })
      .from(requests)
      .innerJoin(approvals, eq(approvals.requestId, requests.id))
      .where(
        and(
          isOwn,
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
      .innerJoin(requests, eq(requests.id, undo.requestId))
      .where(
        and(
          isOwn,
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

/** The entry in the log of the call that its undo starts: later ones must find it there, whatever the rows say. */
export function undoStart({ id: undoId, tenantId, terms }: Approval): NewAuditEntry[] {
  if (!terms.undoes) return [];
  const { approvalId, askedBy: actorId } = terms.undoes;
  return [{ tenantId, approvalId, type: "call.undo_started", actorId, data: { undoId } }];
}

/** What is to be written so that the call that this one has undone is undone. */
export function undoEnd(
  { id: undoId, tenantId, terms }: Approval,
  { undone, now }: Pick<CallSeen, "undone" | "now">,
): { change: CallChange; entry: NewAuditEntry } | undefined {
  if (!terms.undoes || undone?.row.undoId !== undoId || undone.row.undoneAt !== null) return undefined;
  const { askedBy: actorId } = terms.undoes;
  const { id: approvalId, notify } = undone.row;
  return {
    change: { id: approvalId, version: undone.version, set: { undoneAt: now } },
    entry: { tenantId, approvalId, type: "call.undone", notify, actorId, data: { undoId } },
  };
}

/** {@link undoEnd} within a transaction. */
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
