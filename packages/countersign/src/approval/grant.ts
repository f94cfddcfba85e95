import type { GrantScope } from "../policy/rule.js";
import type { Approval, Approvers } from "./approval.js";

/** Whether a standing approval still covers anything, and if not, why. */
export type GrantStatus = "live" | "expired" | "used_up" | "revoked";

/** A standing approval: such calls run without anybody being asked, until it ends. */
export interface Grant {
  id: string;
  tenantId: string;
  scope: GrantScope;
  /** The thread or the requester that it is for; `null` for the whole team. */
  scopeId: string | null;
  toolName: string;
  /** A tool whose schema or description has changed since is another tool. */
  toolVersion: string;
  /** SHA-256 (hex) of the canonical arguments, where it is for exactly these. */
  inputHash: string | null;
  /** A CEL condition over the call; with neither this nor a hash, it is for any arguments. */
  condition: string | null;
  /** One sentence about what it is for, with what the rule hides hidden. */
  summary: string;
  grantedBy: string;
  /** The roles that the grantor had then: the grant covers only what such a person may decide. */
  grantedRoles: string[];
  /** The approval with which it was given. */
  approvalId: string;
  /** For making once more a call that was cut off, whatever its rule lets be granted. */
  rerun: boolean;
  /** Who may see and revoke it. */
  approvers: Approvers;
  status: GrantStatus;
  createdAt: Date;
  expiresAt: Date;
  /** `null`: any number. */
  usesLeft: number | null;
  usesTaken: number;
  revokedAt: Date | null;
  revokedBy: string | null;
}

/** A grant as it is written down together with a decision, after it has been checked. */
export interface NewGrant {
  scope: GrantScope;
  inputHash: string | null;
  condition: string | null;
  lifetimeMs: number;
  /** `null`: any number. */
  uses: number | null;
}

/** The thread or the requester for whom a grant with this scope stands; `null` for the team, or where there is none. */
export function scopeIdOf(
  call: Pick<Approval, "threadId" | "requesterId">,
  scope: GrantScope,
): string | null {
  return { thread: call.threadId, user: call.requesterId, team: null }[scope];
}

/**
 * True when this person is one whom the call's rule names, now or by its ladder. A grant is given, and counts, only
 * where its grantor might approve the very call: what another rule leaves to others it does not open.
 */
export function mayStandFor(
  call: Pick<Approval, "approvers" | "terms" | "requesterId">,
  person: { id: string; roles: readonly string[] },
): boolean {
  const { approvers, terms, requesterId } = call;
  if (terms.requesterMayNotApprove && requesterId === person.id) return false;
  if (approvers.roles.length === 0 && approvers.ids.length === 0) return true;
  const roles = [...approvers.roles, ...terms.ladder.flatMap(({ escalateTo }) => escalateTo)];
  return approvers.ids.includes(person.id) || person.roles.some((role) => roles.includes(role));
}
