import { randomUUID } from "node:crypto";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../../approval/approval.js";
import { isNamed } from "../../approval/who-decides.js";
import type { Delegator } from "../../evidence/evidence-claims.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import type { Sealer } from "../evidence/sealing.js";
import { assignmentStands, type TrailEntry } from "../evidence/trail.js";

/**
 * On whose behalf a person may decide: `null` if the rule names the person, `undefined` if they have no delegation.
 * With a key, only a signed assignment delegates.
 */
export async function delegatorOf(
  approval: Approval,
  trail: readonly TrailEntry[],
  person: Principal,
  reader: EvidenceReader | undefined,
): Promise<Delegator | null | undefined> {
  if (isNamed(approval, person)) return null;
  const { assigneeId, assignedBy, assignedRoles } = approval;
  if (assignedBy === null || assigneeId !== person.id) return undefined;
  return reader ? signedDelegator(approval, trail, reader) : { id: assignedBy, roles: assignedRoles ?? [] };
}

/** The approver who delegated to the assignee, from the signature over the current assignment. */
export async function signedDelegator(
  approval: Approval,
  trail: readonly TrailEntry[],
  reader: EvidenceReader,
): Promise<Delegator | undefined> {
  const { assignmentToken, assigneeId } = approval;
  const reading = assignmentToken === null ? undefined : await reader.read("assignment", assignmentToken);
  if (!reading?.ok) return undefined;
  const { claims } = reading;
  const isThis =
    claims.tenantId === approval.tenantId &&
    claims.approvalId === approval.id &&
    claims.digest === approval.digest &&
    claims.to === assigneeId;
  return isThis && assignmentStands(trail, claims.id) ? claims.onBehalfOf : undefined;
}

/** The signature over an assignment, and its name for the log. */
export async function signAssignment(
  approval: Approval,
  { by, to, onBehalfOf, at }: { by: Principal; to: string; onBehalfOf: Delegator; at: Date },
  sealer: Sealer,
): Promise<{ assignmentId: string; token: string }> {
  const { id: approvalId, tenantId, digest } = approval;
  const { claims, token } = await sealer.seal("assignment", {
    id: `asg_${randomUUID()}`,
    tenantId,
    approvalId,
    digest,
    to,
    principalId: by.id,
    onBehalfOf,
    iat: at.getTime() / 1000,
  });
  return { assignmentId: claims.id, token };
}
