import { randomUUID } from "node:crypto";
import type { AuditType } from "@countersign/policy/internal/display/audit-types";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { ReportedType } from "../../channel/reported-types.js";
import {
  fingerprintDigest,
  type OperatorConfirmationActionFingerprint,
} from "../../evidence/action-fingerprint.js";
import type { Evidence } from "../../evidence/check-evidence.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import {
  type ConfirmationRefusal,
  checkConfirmation,
  confirmationRefusal,
} from "../../evidence/operator-confirmation.js";
import { signedTime } from "../../evidence/signed-time.js";
import { actedAs, audit } from "../audit/audit.js";
import type { Session, Transaction } from "../database.js";
import type { ConfirmationUse, NewConfirmation, PresentedConfirmation } from "../ports/evidence-port.js";
import { auditEntries, evidence } from "../schema.js";
import { consumeRow, timeOf } from "./evidence.js";
import type { Sealer } from "./sealing.js";

export async function recordConfirmation(
  session: Transaction,
  { principal, action, origin, ttlMs }: NewConfirmation,
  sealer: Sealer,
): Promise<Evidence> {
  const now = await timeOf(session);
  const { claims, token } = await sealer.seal("evidence", {
    id: `evd_${randomUUID()}`,
    tenantId: principal.tenantId,
    approvalId: null,
    digest: fingerprintDigest(action),
    decision: "approve" as const,
    principalId: principal.id,
    roles: principal.roles,
    origin,
    toolName: action.toolName,
    iat: now / 1000,
    exp: (now + ttlMs) / 1000,
    action,
  });
  const { id, tenantId, approvalId, digest, decision, principalId } = claims;
  const row = {
    id,
    tenantId,
    approvalId,
    digest,
    decision,
    principalId,
    origin,
    token,
    via: null,
    keyId: sealer.keyId,
    createdAt: signedTime(claims.iat),
    expiresAt: signedTime(claims.exp),
  };
  await session.db.insert(evidence).values(row);
  auditConfirmation(session, principal.tenantId, "confirmation.recorded", action, {
    evidenceId: row.id,
    keyId: row.keyId,
    origin,
    proofUntil: row.expiresAt.toISOString(),
    actorId: principal.id,
    ...actedAs(principal),
  });
  return { ...row, consumedAt: null };
}

/** Consumes a confirmation for one action, or returns what is wrong with it. */
export async function consumeConfirmation(
  session: Transaction,
  { tenantId, presented, action }: PresentedConfirmation,
  reader: EvidenceReader,
): Promise<ConfirmationUse> {
  const row = await readConfirmation(session, tenantId, presented.id);
  const refusal = row
    ? (checkConfirmation(row, await reader.read("evidence", row.token), presented, action) ??
      (await consume(session, row)))
    : confirmationRefusal("not_recorded", "id");
  const entry = { evidenceId: presented.id, actorId: null };
  if (refusal) {
    const { code, field } = refusal;
    auditConfirmation(session, tenantId, "confirmation.refused", action, { ...entry, code, field });
    return { ok: false, refusal };
  }
  auditConfirmation(session, tenantId, "confirmation.consumed", action, entry);
  const used = await readConfirmation(session, tenantId, presented.id);
  return used
    ? { ok: true, evidence: used }
    : { ok: false, refusal: confirmationRefusal("not_recorded", "id") };
}

async function consume(session: Session, row: Evidence): Promise<ConfirmationRefusal | undefined> {
  const used = await consumeRow(session, row);
  // The row is locked, so an earlier consumer has committed and a later one waits.
  if (used.ok) {
    return (await wasConsumed(session, row))
      ? confirmationRefusal("already_consumed", "consumedAtIso")
      : undefined;
  }
  return used.field === "expiresAt"
    ? confirmationRefusal("expired", "expiresAtIso")
    : confirmationRefusal("already_consumed", "consumedAtIso");
}

/** Somebody with write access could reset the row, but cannot remove the entry from the log. */
async function wasConsumed({ db }: Session, { id, tenantId }: Evidence): Promise<boolean> {
  const [consumed] = await db
    .select({ position: auditEntries.position })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.tenantId, tenantId),
        eq(auditEntries.type, "confirmation.consumed"),
        sql`(${auditEntries.data} ->> 'evidenceId') = ${id}`,
      ),
    )
    .limit(1);
  return consumed !== undefined;
}

async function readConfirmation(
  { db }: Session,
  tenantId: string,
  id: string,
): Promise<Evidence | undefined> {
  const [row] = await db
    .select()
    .from(evidence)
    .where(and(eq(evidence.id, id), eq(evidence.tenantId, tenantId), isNull(evidence.approvalId)));
  return row;
}

/**
 * Writes the audit entry. The path may be an argument of a call, so the log contains neither the path nor a hash
 * against which guesses could be tested.
 */
function auditConfirmation(
  session: Transaction,
  tenantId: string,
  type: Exclude<AuditType, ReportedType>,
  action: OperatorConfirmationActionFingerprint,
  { actorId, ...data }: { actorId: string | null; evidenceId: string } & Record<string, unknown>,
): void {
  const { actionKind, toolName } = action;
  audit(session, {
    tenantId,
    approvalId: null,
    type,
    actorId,
    data: { ...data, actionKind, toolName },
  });
}
