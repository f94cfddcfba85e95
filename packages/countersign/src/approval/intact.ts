import type { Approval } from "./approval.js";
import { approvalDigest } from "./approval-digest.js";
import type { Proposed } from "./proposed.js";

/**
 * Whether the row still holds the call that its run proposed and people decided: its digests match its content and
 * the digest that the run remembers. Runs of earlier versions remember no digest.
 */
export function isIntact(approval: Approval, proposed: Proposed | undefined): boolean {
  if (proposed && approval.digest !== proposed.digest) return false;
  if (approvalDigest(approval) !== approval.digest) return false;
  const { edited } = approval;
  return edited === null || approvalDigest({ ...approval, inputJson: edited.inputJson }) === edited.digest;
}
