import { timingSafeEqual } from "node:crypto";
import type { Approval, Decision } from "../approval/approval.js";
import type { EvidenceClaims, EvidenceOrigin } from "./evidence-claims.js";
import type { EvidenceReading } from "./evidence-signer.js";

/** A row of the table `evidence`. */
export interface Evidence {
  id: string;
  tenantId: string;
  approvalId: string | null;
  origin: EvidenceOrigin;
  decision: Decision["type"];
  principalId: string;
  digest: string;
  token: string;
  keyId: string;
  createdAt: Date;
  expiresAt: Date;
  consumedAt: Date | null;
}

export type CheckedEvidence = { ok: true; claims: EvidenceClaims } | { ok: false; field: string };

/** True for equal texts, in a time that does not tell where they differ. */
export function sameDigest(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Is the row what was signed? If not, the first field that is not. */
export function checkRow(row: Evidence, reading: EvidenceReading): CheckedEvidence {
  if (!reading.ok) return reading;
  const { claims } = reading;
  const differing = (["id", "tenantId", "approvalId", "decision", "principalId", "origin"] as const).find(
    (field) => row[field] !== claims[field],
  );
  if (differing) return { ok: false, field: differing };
  if (!sameDigest(row.digest, claims.digest)) return { ok: false, field: "digest" };
  if (row.keyId !== reading.keyId) return { ok: false, field: "keyId" };
  if (row.createdAt.getTime() !== Math.round(claims.iat * 1000)) return { ok: false, field: "createdAt" };
  if (row.expiresAt.getTime() !== Math.round(claims.exp * 1000)) return { ok: false, field: "expiresAt" };
  return { ok: true, claims };
}

/** Does the proof let this very call start? If not, the first field by which it does not. */
export function checkForApproval(
  approval: Approval,
  row: Evidence,
  reading: EvidenceReading,
): CheckedEvidence {
  const checked = checkRow(row, reading);
  if (!checked.ok) return checked;
  const { claims } = checked;
  const { decision } = approval;
  if (claims.tenantId !== approval.tenantId) return { ok: false, field: "tenantId" };
  if (claims.approvalId !== approval.id) return { ok: false, field: "approvalId" };
  if (claims.toolName !== approval.toolName) return { ok: false, field: "toolName" };
  const startable = claims.decision === (approval.edited === null ? "approve" : "edit");
  if (!startable || decision?.type !== claims.decision) return { ok: false, field: "decision" };
  if (!sameDigest(claims.digest, (approval.edited ?? approval).digest)) return { ok: false, field: "digest" };
  if (decision.decidedBy !== null && decision.decidedBy !== claims.principalId) {
    return { ok: false, field: "principalId" };
  }
  return checked;
}
