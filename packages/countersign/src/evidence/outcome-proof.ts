import { randomUUID } from "node:crypto";
import type { Approval } from "../approval/approval.js";
import { matchesItsDigests } from "../approval/intact.js";
import type { Proposed } from "../approval/proposed.js";
import type { SignedClaims } from "./evidence-claims.js";
import type { EvidenceReader, EvidenceSigner } from "./evidence-signer.js";
import { saltedHash } from "./salted-hash.js";
import { signedTime } from "./signed-time.js";

/** What ran, by its digests: as it was proposed, and as a person changed it. */
export interface Ran {
  digest: string;
  editedDigest: string | null;
}

/** How a call ended, and when by the database's clock. */
export interface Ended {
  status: "executed" | "failed";
  outcomeJson: string;
  at: Date;
}

/** What ran of a call whose row was compared, under its lock, with what was proposed and decided. */
export function ranAs({ digest, edited }: Pick<Approval, "digest" | "edited">): Ran {
  return { digest, editedDigest: edited?.digest ?? null };
}

/**
 * Signs how a call ended, by the process that ran it, so that nobody reads what somebody else wrote. The row may have been
 * changed while the call ran, so its digests come from the caller.
 */
export async function signOutcome(
  approval: Pick<Approval, "id" | "tenantId" | "nonce">,
  { digest, editedDigest }: Ran,
  { status, outcomeJson, at }: Ended,
  signer: EvidenceSigner,
): Promise<string> {
  const { id: approvalId, tenantId } = approval;
  return signer.sign("outcome", {
    id: `out_${randomUUID()}`,
    tenantId,
    approvalId,
    digest,
    status,
    ...(editedDigest === null ? {} : { editedDigest }),
    outcomeHash: saltedHash(approval, outcomeJson),
    iat: at.getTime() / 1000,
  });
}

/** The hash of how a call ended, which its undo is for. */
export function outcomeHash(call: Pick<Approval, "nonce" | "outcomeJson">): string {
  return saltedHash(call, call.outcomeJson ?? "");
}

/** True if the outcome in the row is the signed one, of the call that the run proposed. */
export async function isOutcomeProven(
  approval: Approval,
  { digest }: Pick<Proposed, "digest">,
  reader: EvidenceReader,
): Promise<boolean> {
  return (await signedOutcome(approval, digest, reader)) !== undefined;
}

/**
 * When a call has ended, if its row is the one whose end was signed: all that the digest covers, the arguments that ran, and
 * the outcome. `undefined` if any of it was changed since, or was never signed.
 */
export async function endAsSigned(row: Approval, reader: EvidenceReader): Promise<Date | undefined> {
  if (!matchesItsDigests(row)) return undefined;
  const claims = await signedOutcome(row, row.digest, reader);
  return claims && signedTime(claims.iat);
}

async function signedOutcome(
  { id, tenantId, status, edited, nonce, outcomeToken, outcomeJson }: Approval,
  digest: string,
  reader: EvidenceReader,
): Promise<SignedClaims["outcome"] | undefined> {
  if (outcomeToken === null || outcomeJson === null) return undefined;
  const reading = await reader.read("outcome", outcomeToken);
  if (!reading.ok) return undefined;
  const { claims } = reading;
  const isThis =
    claims.tenantId === tenantId &&
    claims.approvalId === id &&
    claims.status === status &&
    claims.digest === digest &&
    claims.editedDigest === edited?.digest &&
    claims.outcomeHash === saltedHash({ nonce }, outcomeJson);
  return isThis ? claims : undefined;
}
