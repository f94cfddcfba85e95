import { randomUUID } from "node:crypto";
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { Approval, Decision } from "../approval/approval.js";
import { checkForApproval, type Evidence } from "../evidence/check-evidence.js";
import type { EvidenceOrigin } from "../evidence/evidence-claims.js";
import type { EvidenceSigner } from "../evidence/evidence-signer.js";
import { type Session, type Transaction, together } from "./database.js";
import { approvals, auditEntries, evidence } from "./schema.js";

/** Evidence as audit entries name it. */
export interface EvidenceName {
  evidenceId: string;
  keyId: string;
}

/** Who decided what, and how Countersign knows. */
export interface ProvenDecision {
  type: Decision["type"];
  principalId: string;
  origin: EvidenceOrigin;
}

/**
 * Writes the signed proof of one decision, in the decision's transaction. It is good for the key's time, counted from
 * when the last call of the request runs out of time: until then its run cannot go on.
 */
export async function writeEvidence(
  session: Session,
  approval: Pick<Approval, "id" | "tenantId" | "requestId" | "toolName" | "digest" | "edited">,
  decision: ProvenDecision,
  signer: EvidenceSigner,
  times: { provenAt: string; openUntil: string },
): Promise<EvidenceName> {
  const createdAt = new Date(Number(times.provenAt));
  const expiresAt = new Date(Number(times.openUntil) + signer.ttlMs);
  const claims = {
    id: `evd_${randomUUID()}`,
    tenantId: approval.tenantId,
    approvalId: approval.id,
    toolName: approval.toolName,
    digest: (approval.edited ?? approval).digest,
    decision: decision.type,
    principalId: decision.principalId,
    origin: decision.origin,
  };
  const token = await signer.sign({
    ...claims,
    iat: createdAt.getTime() / 1000,
    exp: expiresAt.getTime() / 1000,
  });
  const { toolName: _, ...row } = claims;
  await session.db.insert(evidence).values({ ...row, token, keyId: signer.keyId, createdAt, expiresAt });
  return { evidenceId: claims.id, keyId: signer.keyId };
}

/** What a statement has to give besides for a proof: the time, and until when the request's run may have to wait. */
export function proofTimes({ now }: Session, requestId: string) {
  const open = sql`(select max(coalesce(${approvals.expiresAt}, ${approvals.createdAt} + ${approvals.timeoutMs} * interval '1 millisecond')) from ${approvals} where ${approvals.requestId} = ${requestId})`;
  return {
    provenAt: milliseconds(now).as("proven_at"),
    openUntil: milliseconds(sql`greatest(${now}, ${open})`).as("open_until"),
  };
}

/** A time of the database in milliseconds since 1970, as text. */
export function milliseconds(time: unknown) {
  return sql<string>`floor(extract(epoch from ${time}) * 1000)::bigint::text`;
}

/** The proof of an approval's decision. */
export async function readEvidence(
  { db }: Session,
  tenantId: string,
  approvalId: string,
): Promise<Evidence | undefined> {
  const [row] = await db
    .select()
    .from(evidence)
    .where(and(eq(evidence.tenantId, tenantId), eq(evidence.approvalId, approvalId)))
    .orderBy(asc(evidence.createdAt), asc(evidence.id))
    .limit(1);
  return row;
}

export type ConsumedEvidence = ({ ok: true } & EvidenceName) | { ok: false; field: string };

/** The proof of this very approval, or the field for which there is none. */
async function proofOf(
  session: Session,
  approval: Approval,
  signer: EvidenceSigner,
): Promise<{ ok: true; row: Evidence } | { ok: false; field: string }> {
  const row = await readEvidence(session, approval.tenantId, approval.id);
  if (!row) return { ok: false, field: "evidence" };
  const checked = checkForApproval(approval, row, await signer.read(row.token));
  return checked.ok ? { ok: true, row } : checked;
}

/** Uses up the proof that lets this call start, or names the field for which there is none. */
export async function consumeEvidence(
  session: Transaction,
  approval: Approval,
  signer: EvidenceSigner,
): Promise<ConsumedEvidence> {
  const [found, started] = await together([
    proofOf(session, approval, signer),
    hasStarted(session, approval),
  ]);
  if (!found.ok) return found;
  const { row } = found;
  // The row could be made unused again by whoever can change rows; what the log tells of cannot.
  if (row.consumedAt || started) return { ok: false, field: "consumedAt" };
  return consumeRow(session, row);
}

/** The compare-and-swap itself: `consumed_at` is set once, and within the proof's time. */
export async function consumeRow({ db, now }: Session, row: Evidence): Promise<ConsumedEvidence> {
  const used = await db
    .update(evidence)
    .set({ consumedAt: now })
    .where(and(eq(evidence.id, row.id), isNull(evidence.consumedAt), sql`${evidence.expiresAt} > ${now}`))
    .returning({ id: evidence.id });
  if (used.length > 0) return { ok: true, evidenceId: row.id, keyId: row.keyId };
  const [left] = await db
    .select({ consumedAt: evidence.consumedAt })
    .from(evidence)
    .where(eq(evidence.id, row.id));
  return { ok: false, field: left && !left.consumedAt ? "expiresAt" : "consumedAt" };
}

/** Whether the proof was used up by this approval's own start, for a start that goes on after a crash. */
export async function recheckEvidence(
  session: Session,
  approval: Approval,
  signer: EvidenceSigner,
): Promise<ConsumedEvidence> {
  const found = await proofOf(session, approval, signer);
  if (!found.ok) return found;
  const { row } = found;
  if (!row.consumedAt) return { ok: false, field: "consumedAt" };
  return { ok: true, evidenceId: row.id, keyId: row.keyId };
}

async function hasStarted({ db }: Session, { tenantId, id }: Approval): Promise<boolean> {
  const [start] = await db
    .select({ position: auditEntries.position })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.tenantId, tenantId),
        eq(auditEntries.approvalId, id),
        eq(auditEntries.type, "approval.executing"),
      ),
    )
    .limit(1);
  return start !== undefined;
}
