import { isDeepStrictEqual } from "node:util";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { audit } from "../audit/audit.js";
import type { Transaction } from "../database.js";
import { type TrailEntry, trailOf } from "../evidence/trail.js";
import { type StoredHold, storedHold } from "../ports/stored-hold.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, evidence } from "../schema.js";
import { noHold, withdrawChanged } from "./withdraw-changed.js";

export const statusAfter = {
  approve: "approved",
  edit: "approved",
  deny: "denied",
  respond: "responded",
} as const;

/** The type of the entry with which a decision takes effect. */
export function decisionEntryType(type: StoredHold["type"]) {
  return type === "edit" ? "approval.edited" : (`approval.${statusAfter[type]}` as const);
}

/**
 * Lets the held decisions of a request take effect whose time is over. Needs the lock of the request. A decision that the log
 * does not have, or has as taken back, was written by somebody else into the row: its call ends.
 */
export async function endHolds(session: Transaction, requestId: string): Promise<void> {
  const { db } = session;
  const due = await db
    .select({ id: approvals.id, digest: approvals.digest, held: approvals.held, until: approvals.heldUntil })
    .from(approvals)
    .where(and(eq(approvals.requestId, requestId), isOver(session)));
  for (const { id, digest, held, until } of due) {
    const { data: hold } = storedHold.safeParse(held);
    const made = hold && madeEntry(await trailOf(session, { id }), { ...hold, digest, until });
    if (hold && made) await takeEffect(session, id, hold, made);
    else await withdrawChanged(session, id);
  }
}

function isOver({ now }: Transaction) {
  return and(hasStatus("pending"), isNotNull(approvals.heldUntil), sql`${approvals.heldUntil} <= ${now}`);
}

/** The entry with which a decision of a row was made, unless it was taken back since. */
function madeEntry(
  trail: readonly TrailEntry[],
  {
    type,
    decidedBy,
    roles,
    digest,
    until,
    edited,
    evidence: signed,
  }: StoredHold & { digest: string; until: Date | null },
): TrailEntry | undefined {
  const last = trail.findLast((each) => ["approval.held", "approval.taken_back"].includes(each.type));
  if (last?.type !== "approval.held" || last.actorId !== storableText(decidedBy)) return undefined;
  const { data } = last;
  const isSame =
    data.type === type &&
    data.digest === digest &&
    data.until === until?.toISOString() &&
    isDeepStrictEqual(data.roles, roles) &&
    data.editedDigest === edited?.digest &&
    data.evidenceId === signed?.id;
  return isSame ? last : undefined;
}

async function takeEffect(
  session: Transaction,
  approvalId: string,
  { type, decidedBy, edited, evidence: signed, ...hold }: StoredHold,
  made: TrailEntry,
): Promise<void> {
  const { db } = session;
  const [row] = await db
    .update(approvals)
    .set({
      status: statusAfter[type],
      ...noHold,
      responseJson: hold.responseJson,
      editedInputJson: edited?.inputJson ?? null,
      editedDigest: edited?.digest ?? null,
      decisionType: type,
      decidedBy,
      decidedRoles: hold.roles,
      decisionReason: hold.reason,
      decidedAt: new Date(hold.decidedAt),
    })
    .where(and(eq(approvals.id, approvalId), isOver(session)))
    .returning();
  if (!row) return;
  if (signed) {
    const { createdAt, expiresAt, ...rest } = signed;
    const times = { createdAt: new Date(createdAt), expiresAt: new Date(expiresAt) };
    session.send(
      db
        .insert(evidence)
        .values({ ...rest, ...times })
        .onConflictDoNothing()
        .execute(),
    );
  }
  const { type: _, until: __, ...entry } = made.data;
  audit(session, {
    tenantId: row.tenantId,
    approvalId,
    notify: row.notify,
    type: decisionEntryType(type),
    actorId: decidedBy,
    data: { ...entry, heldFrom: hold.decidedAt },
    ...(row.announcedAt && row.decidedAt
      ? { waitedMs: row.decidedAt.getTime() - row.announcedAt.getTime() }
      : {}),
  });
}
