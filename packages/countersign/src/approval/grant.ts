import type { GrantScope } from "@countersign/policy/internal/policy/rules/rule";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval, Approvers } from "./approval.js";
import type { GrantBudget } from "./budget.js";
import { mustLeaveToOthers } from "./who-decides.js";

/** Whether a grant can still be used, and if not, why. */
export type GrantStatus = "live" | "expired" | "used_up" | "revoked";

/** A grant lets matching calls run without approval until it ends. */
export interface Grant {
  id: string;
  tenantId: string;
  scope: GrantScope;
  /** The thread or requester that it applies to; `null` for the whole team. */
  scopeId: string | null;
  toolName: string;
  /** What the rules called the call with whose approval it was created; `null` without a label, and once that call is deleted. */
  label: string | null;
  /** The grant does not cover the tool after its schema or description changes. */
  toolVersion: string;
  /** SHA-256 (hex) of the canonical arguments, if the grant is for exactly these. */
  inputHash: string | null;
  /** A CEL condition over the call. Without a condition and a hash, the grant covers any arguments. */
  condition: string | null;
  /** The grantor could see redacted values when creating it, so the condition may read them. */
  authorSeesAll: boolean;
  /** One sentence that describes the call, with redacted values hidden. */
  summary: string;
  grantedBy: string;
  /** The grantor's roles at the time. The grant covers only calls that such a person may decide. */
  grantedRoles: string[];
  /** The approval with which it was created. */
  approvalId: string;
  /** For re-running one interrupted call, regardless of the rule's `grantable`. */
  rerun: boolean;
  /** People who may see and revoke it. */
  approvers: Approvers;
  status: GrantStatus;
  createdAt: Date;
  expiresAt: Date;
  /** `null`: any number. */
  usesLeft: number | null;
  usesTaken: number;
  /** `null`: no limit of what its calls spend. */
  budget: GrantBudget | null;
  /** What its calls have spent of the budget, and what those are about to spend that it has approved. */
  budgetUsed: number;
  revokedAt: Date | null;
  revokedBy: string | null;
}

/** A validated grant, to be stored together with a decision. */
export interface NewGrant {
  scope: GrantScope;
  inputHash: string | null;
  condition: string | null;
  /** The grantor may see redacted values, so the condition may read them. */
  authorSeesAll: boolean;
  lifetimeMs: number;
  /** `null`: any number. */
  uses: number | null;
  /** `null`: no limit of what its calls spend. */
  budget: GrantBudget | null;
}

/** The thread or requester that a grant with this scope applies to; `null` for the team, or if the call has none. */
export function scopeIdOf(
  call: Pick<Approval, "threadId" | "requesterId">,
  scope: GrantScope,
): string | null {
  return { thread: call.threadId, user: call.requesterId, team: null }[scope];
}

/**
 * Whether the call's rule names this person, directly or by escalation. A grant can be created and used only if its
 * grantor may approve the call itself, so it never covers calls that another rule reserves for others.
 */
export function mayStandFor(
  call: Pick<Approval, "approvers" | "requesterId"> & {
    terms: Pick<Approval["terms"], "requesterMayNotApprove" | "escalation">;
  },
  person: { id: string; roles: readonly string[] },
): boolean {
  const { approvers, terms } = call;
  if (mustLeaveToOthers(call, person.id)) return false;
  if (approvers.roles.length === 0 && approvers.ids.length === 0) return true;
  const roles = [...approvers.roles, ...terms.escalation.flatMap(({ escalateTo }) => escalateTo)];
  return approvers.ids.includes(person.id) || person.roles.some((role) => roles.includes(role));
}

/** The fields of a call that a grant's condition can read. */
export type GrantedCall = Pick<Approval, "toolName" | "inputJson" | "policyContext" | "threadId" | "terms">;

/** True if this principal gave the grant, or may decide the approval that gave it. */
export function mayRevoke(grant: Grant, principal: Principal): boolean {
  if (grant.tenantId !== principal.tenantId) return false;
  const { roles, ids } = grant.approvers;
  if (grant.grantedBy === principal.id || (roles.length === 0 && ids.length === 0)) return true;
  return ids.includes(principal.id) || principal.roles.some((role) => roles.includes(role));
}
