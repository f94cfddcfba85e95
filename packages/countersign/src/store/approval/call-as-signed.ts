import type { Approval } from "../../approval/approval.js";
import { withEscalation } from "../../approval/escalation.js";
import { matchesItsDigests } from "../../approval/intact.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import { endAsSigned } from "../../evidence/outcome-proof.js";
import type { TrailEntry } from "../evidence/trail.js";
import { signedDelegator } from "./delegation.js";

/**
 * The call in a row as it was signed when it ended. Whatever no signature covers is left out or read from the log: who it is
 * assigned to, who it was escalated to, when it ended, and whether it was undone. Without a reader, the row itself.
 * `undefined` if the row is another call than the one that was proposed and ran.
 */
export async function callAsSigned(
  row: Approval,
  trail: readonly TrailEntry[],
  reader: EvidenceReader | undefined,
): Promise<Approval | undefined> {
  if (!reader) return matchesItsDigests(row) ? row : undefined;
  const finishedAt = await endAsSigned(row, reader);
  if (!finishedAt) return undefined;
  const isDelegated = row.assigneeId !== null && (await signedDelegator(row, trail, reader)) !== undefined;
  const undone = trail.find(({ type }) => type === "call.undone");
  return {
    ...row,
    finishedAt,
    ...(isDelegated ? {} : { assigneeId: null, assignedBy: null, assignedRoles: null }),
    ...(undone && { undoneAt: new Date(undone.at) }),
    approvers: escalatedBy(row, trail, finishedAt),
  };
}

/** The approvers, with those of the escalations for which there was time before the call ended. */
function escalatedBy(
  { approvers, proposedRoles, terms, escalationSteps }: Approval,
  trail: readonly TrailEntry[],
  endedAt: Date,
): Approval["approvers"] {
  const announced = trail.find(({ type }) => type === "approval.announced");
  const waitedMs = announced ? endedAt.getTime() - announced.at : Number.NEGATIVE_INFINITY;
  const taken = terms.escalation.slice(0, escalationSteps).filter(({ afterMs }) => afterMs <= waitedMs);
  return withEscalation({ roles: proposedRoles, ids: approvers.ids }, taken);
}
