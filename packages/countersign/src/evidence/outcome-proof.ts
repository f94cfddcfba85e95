import { randomUUID } from "node:crypto";
import type { Approval } from "../approval/approval.js";
import type { Proposed } from "../approval/proposed.js";
import type { EvidenceReader, EvidenceSigner } from "./evidence-signer.js";
import { saltedHash } from "./salted-hash.js";

/** Signs how a call ended, by the process that ran it, so that the model reads nothing that somebody else wrote. */
export async function signOutcome(
  approval: Approval,
  { status, outcomeJson }: { status: "executed" | "failed"; outcomeJson: string },
  signer: EvidenceSigner,
): Promise<string> {
  const { id: approvalId, tenantId, digest } = approval;
  return signer.sign("outcome", {
    id: `out_${randomUUID()}`,
    ...{ tenantId, approvalId, digest, status },
    outcomeHash: saltedHash(approval, outcomeJson),
    iat: Math.floor(Date.now() / 1000),
  });
}

/** True if the outcome in the row is the signed one, of the call that the run proposed. */
export async function isOutcomeProven(
  approval: Approval,
  proposed: Proposed,
  reader: EvidenceReader,
): Promise<boolean> {
  const { outcomeToken, outcomeJson } = approval;
  if (outcomeToken === null || outcomeJson === null) return false;
  const reading = await reader.read("outcome", outcomeToken);
  if (!reading.ok) return false;
  const { claims } = reading;
  return (
    claims.tenantId === approval.tenantId &&
    claims.approvalId === approval.id &&
    claims.status === approval.status &&
    claims.digest === proposed.digest &&
    claims.outcomeHash === saltedHash(approval, outcomeJson)
  );
}
