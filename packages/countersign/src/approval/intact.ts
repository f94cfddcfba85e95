import type { Approval } from "./approval.js";
import { approvalDigest } from "./approval-digest.js";
import type { Proposed } from "./proposed.js";

/**
 * Whether the row still holds the call that its run proposed and people decided: its digests match its content and
 * the digest that the run remembers.
 */
export function isIntact(approval: Approval, proposed: Proposed): boolean {
  return approval.digest === proposed.digest && matchesItsDigests(approval);
}

/** Whether the digests in a row match its content, for who does not know what the run proposed. */
export function matchesItsDigests(approval: Approval): boolean {
  if (approvalDigest(approval) !== approval.digest) return false;
  const { edited } = approval;
  return edited === null || approvalDigest({ ...approval, inputJson: edited.inputJson }) === edited.digest;
}
