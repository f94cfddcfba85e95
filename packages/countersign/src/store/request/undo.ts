import { randomUUID } from "node:crypto";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { and, between, eq, isNotNull, isNull, like, sql } from "drizzle-orm";
import { type AnyPgColumn, alias } from "drizzle-orm/pg-core";
import type { Approval } from "../../approval/approval.js";
import type { CallRow, CallSeen } from "../call-seen.js";
import type { CallChange } from "../changes.js";
import { type NewAuditEntry, type Session, together } from "../database.js";
import type { EvidenceName } from "../evidence/evidence.js";
import type { Sealer } from "../evidence/sealing.js";
import type { ProposedCall, UndoAsked } from "../ports/request-port.js";
import type { ProposalSeen } from "../proposal-seen.js";
import { approvals, requests } from "../schema.js";

/**
 * True for an undo that has not happened and will not, so that another one may take its place. A failed one may be tried
 * again; an interrupted one only if a person found out that it did not happen.
 */
function isOver({ status, resolutionOutcome }: Pick<CallRow, "status" | "resolutionOutcome">): boolean {
  return ["denied", "expired", "withdrawn", "failed"].includes(status) || resolutionOutcome === "failed";
}

/**
 * Makes a new call the one that undoes another. Only one call at a time can.
 *
 * @returns what to write of the other call; `undefined` for a call that undoes none
 * @throws CountersignError `not_undoable` if the call has another undo by now, or if the time is over.
 */
export function takeUndo(
  { undone, now }: Pick<ProposalSeen, "undone" | "now">,
  { id: undoId, terms, undo }: Pick<ProposedCall, "id" | "terms" | "undo">,
): CallChange | undefined {
  const { undoes } = terms;
  if (!undoes) return undefined;
  const its = undone.find(({ row }) => row.id === undoes.approvalId);
  if (its && undo?.until && now && undo.until <= now) {
    throw new CountersignError("not_undoable", "The time to undo this call is over");
  }
  const isFree = its && (its.row.undoId === null || (its.undo !== null && isOver(its.undo)));
  if (!isFree || its.row.status !== "executed" || its.row.undoneAt !== null) {
    throw takenUndo();
  }
  return { id: its.row.id, version: its.version, set: { undoId } };
}

export function takenUndo(): CountersignError {
  return new CountersignError(
    "not_undoable",
    "Somebody else has just asked for the undo of this call. Reload it to see it",
  );
}

/** The signature of whoever asks for an undo, with its names for the log. */
export interface Wish {
  token: string;
  entry: EvidenceName;
}

/** `undefined` for a call that undoes none. */
export async function signWish(
  now: Date,
  {
    id: approvalId,
    tenantId,
    digest,
    terms: { undoes },
  }: Pick<Approval, "id" | "tenantId" | "digest" | "terms">,
  asked: UndoAsked | undefined,
  sealer: Sealer,
): Promise<Wish | undefined> {
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
    iat: now.getTime() / 1000,
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

/**
 * What is to be written so that the call that this one has undone is undone.
 *
 * @param by Who found out that it has. @default whoever asked for the undo
 */
export function undoEnd(
  { id: undoId, tenantId, terms }: Approval,
  { undone, now }: Pick<CallSeen, "undone" | "now">,
  by?: string,
): { change: CallChange; entry: NewAuditEntry } | undefined {
  if (!terms.undoes || undone?.row.undoId !== undoId || undone.row.undoneAt !== null) return undefined;
  const actorId = by ?? terms.undoes.askedBy;
  const { id: approvalId, notify } = undone.row;
  return {
    change: { id: approvalId, version: undone.version, set: { undoneAt: now } },
    entry: { tenantId, approvalId, type: "call.undone", notify, actorId, data: { undoId } },
  };
}
