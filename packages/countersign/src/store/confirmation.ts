import { randomUUID } from "node:crypto";
import { and, eq, isNull, sql } from "drizzle-orm";
import {
  fingerprintDigest,
  type OperatorConfirmationActionFingerprint,
} from "../evidence/action-fingerprint.js";
import type { Evidence } from "../evidence/check-evidence.js";
import type { EvidenceOrigin } from "../evidence/evidence-claims.js";
import type { EvidenceSigner } from "../evidence/evidence-signer.js";
import {
  type ConfirmationRefusal,
  checkConfirmation,
  confirmationRefusal,
  type TrustedOperatorConfirmationEvidence,
} from "../evidence/operator-confirmation.js";
import type { Principal } from "../principal.js";
import { actedAs, audit } from "./audit.js";
import type { Session, Transaction } from "./database.js";
import { consumeRow, milliseconds } from "./evidence.js";
import { evidence } from "./schema.js";

/** What an operator confirmed outside of approvals. */
export interface NewConfirmation {
  principal: Principal;
  action: OperatorConfirmationActionFingerprint;
  origin: EvidenceOrigin;
  ttlMs: number;
}

/** Evidence that somebody brings, and the action for which it should be good. */
export interface PresentedConfirmation {
  tenantId: string;
  presented: TrustedOperatorConfirmationEvidence;
  action: OperatorConfirmationActionFingerprint;
}

export type ConfirmationUse = { ok: true; evidence: Evidence } | { ok: false; refusal: ConfirmationRefusal };

export async function recordConfirmation(
  session: Transaction,
  { principal, action, origin, ttlMs }: NewConfirmation,
  signer: EvidenceSigner,
): Promise<Evidence> {
  const createdAt = await timeOf(session);
  const expiresAt = new Date(createdAt.getTime() + ttlMs);
  const subject = {
    id: `evd_${randomUUID()}`,
    tenantId: principal.tenantId,
    approvalId: null,
    digest: fingerprintDigest(action),
    decision: "approve" as const,
    principalId: principal.id,
    origin,
  };
  const token = await signer.sign({
    ...subject,
    toolName: action.toolName,
    iat: createdAt.getTime() / 1000,
    exp: expiresAt.getTime() / 1000,
    action,
  });
  const row = { ...subject, token, keyId: signer.keyId, createdAt, expiresAt };
  await session.db.insert(evidence).values(row);
  tell(session, principal.tenantId, "confirmation.recorded", action, {
    evidenceId: row.id,
    keyId: row.keyId,
    origin,
    actorId: principal.id,
    ...actedAs(principal),
  });
  return { ...row, consumedAt: null };
}

async function timeOf({ db, now }: Session): Promise<Date> {
  const [time] = await db.select({ ms: milliseconds(now) }).from(sql`(select 1) as one`);
  return new Date(Number(time?.ms));
}

/** Uses a confirmation up for one action, or says what is wrong with it. */
export async function consumeConfirmation(
  session: Transaction,
  { tenantId, presented, action }: PresentedConfirmation,
  signer: EvidenceSigner,
): Promise<ConfirmationUse> {
  const row = await readConfirmation(session, tenantId, presented.id);
  const refusal = row
    ? (checkConfirmation(row, await signer.read(row.token), presented, action) ??
      (await consume(session, row)))
    : confirmationRefusal("not_recorded", "id");
  const told = { evidenceId: presented.id, actorId: null };
  if (refusal) {
    const { code, field } = refusal;
    tell(session, tenantId, "confirmation.refused", action, { ...told, code, field });
    return { ok: false, refusal };
  }
  tell(session, tenantId, "confirmation.consumed", action, told);
  const used = await readConfirmation(session, tenantId, presented.id);
  return used
    ? { ok: true, evidence: used }
    : { ok: false, refusal: confirmationRefusal("not_recorded", "id") };
}

async function consume(session: Session, row: Evidence): Promise<ConfirmationRefusal | undefined> {
  const used = await consumeRow(session, row);
  if (used.ok) return undefined;
  return used.field === "expiresAt"
    ? confirmationRefusal("expired", "expiresAtIso")
    : confirmationRefusal("already_consumed", "consumedAtIso");
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

/** The path is part of the fingerprint's hash and may be an argument of a call, so the log does not name it. */
function tell(
  session: Transaction,
  tenantId: string,
  type: string,
  action: OperatorConfirmationActionFingerprint,
  { actorId, ...data }: { actorId: string | null; evidenceId: string } & Record<string, unknown>,
): void {
  const { actionKind, toolName } = action;
  audit(session, {
    tenantId,
    approvalId: null,
    type,
    actorId,
    data: { ...data, actionKind, toolName, digest: fingerprintDigest(action) },
  });
}
