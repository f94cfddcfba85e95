import { timingSafeEqual } from "node:crypto";
import type { Approval, Decision } from "../approval/approval.js";
import type { EvidenceClaims, EvidenceOrigin } from "./evidence-claims.js";
import type { EvidenceReading } from "./evidence-signer.js";
import { saltedHash } from "./salted-hash.js";
import { signedTime } from "./signed-time.js";

/** A row of the table `evidence`. */
export interface Evidence {
  id: string;
  tenantId: string;
  approvalId: string | null;
  origin: EvidenceOrigin;
  /** How the person was authenticated; `null` if the host did not say. */
  via: string | null;
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

/** Compares two strings in constant time. */
export function sameDigest(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Compares a row with its signed claims. Returns the first field that differs. */
export function checkRow(row: Evidence, reading: EvidenceReading): CheckedEvidence {
  if (!reading.ok) return reading;
  const { claims } = reading;
  const differing = (["id", "tenantId", "approvalId", "decision", "principalId", "origin"] as const).find(
    (field) => row[field] !== claims[field],
  );
  if (differing) return { ok: false, field: differing };
  if (row.via !== (claims.via ?? null)) return { ok: false, field: "via" };
  if (!sameDigest(row.digest, claims.digest)) return { ok: false, field: "digest" };
  if (row.keyId !== reading.keyId) return { ok: false, field: "keyId" };
  if (!isTime(row.createdAt, claims.iat)) return { ok: false, field: "createdAt" };
  if (!isTime(row.expiresAt, claims.exp)) return { ok: false, field: "expiresAt" };
  return { ok: true, claims };
}

/** Compares the decision in an approval's row with the signed one. Returns the first field that differs. */
export function checkDecision(
  approval: Approval,
  row: Evidence | undefined,
  reading: EvidenceReading,
): CheckedEvidence {
  if (!row) return { ok: false, field: "evidence" };
  const checked = checkRow(row, reading);
  if (!checked.ok) return checked;
  const { claims } = checked;
  const { decision, edited, responseJson } = approval;
  if (claims.tenantId !== approval.tenantId) return { ok: false, field: "tenantId" };
  if (claims.approvalId !== approval.id) return { ok: false, field: "approvalId" };
  if (claims.toolName !== approval.toolName) return { ok: false, field: "toolName" };
  if (decision?.type !== claims.decision || (claims.decision === "edit") !== (edited !== null)) {
    return { ok: false, field: "decision" };
  }
  if (!sameDigest(claims.digest, (edited ?? approval).digest)) return { ok: false, field: "digest" };
  if (decision.decidedBy !== null && decision.decidedBy !== claims.principalId) {
    return { ok: false, field: "principalId" };
  }
  if (!isTime(decision.decidedAt, claims.iat)) return { ok: false, field: "decidedAt" };
  if ((approval.grantId ?? undefined) !== claims.grantId) return { ok: false, field: "grantId" };
  if (!isHashed(approval, responseJson, claims.responseHash)) return { ok: false, field: "responseHash" };
  if (!isHashed(approval, decision.reason, claims.reasonHash)) return { ok: false, field: "reasonHash" };
  return checked;
}

/** Checks whether the evidence lets exactly this call start. Returns the first field that prevents it. */
export function checkForApproval(
  approval: Approval,
  row: Evidence | undefined,
  reading: EvidenceReading,
): CheckedEvidence {
  const checked = checkDecision(approval, row, reading);
  if (!checked.ok || checked.claims.decision === "approve" || checked.claims.decision === "edit")
    return checked;
  return { ok: false, field: "decision" };
}

function isTime(time: Date, seconds: number): boolean {
  return time.getTime() === signedTime(seconds).getTime();
}

function isHashed(approval: Approval, text: string | null, hash: string | undefined): boolean {
  return text === null
    ? hash === undefined
    : hash !== undefined && sameDigest(hash, saltedHash(approval, text));
}
