import type { ApprovalTerms, Approvers } from "./approval.js";

/**
 * The approvers after some escalation steps. If the rule names no approvers, everyone may decide, and adding roles
 * would exclude the others.
 */
export function withEscalation(approvers: Approvers, taken: ApprovalTerms["escalation"]): Approvers {
  const added = taken.flatMap(({ escalateTo }) => escalateTo);
  if (added.length === 0 || approvers.roles.length + approvers.ids.length === 0) return approvers;
  return { ...approvers, roles: [...new Set([...approvers.roles, ...added])].sort() };
}
