import type { AuditType } from "@countersign/policy/internal/display/audit-types";

/**
 * The audit entries whose transitions Countersign reports to Inngest as public events. Announcements are reported only
 * for approvals that the host saved: the orchestrator reports its own.
 */
export const publishedTypes = [
  "approval.announced",
  "approval.approved",
  "approval.edited",
  "approval.denied",
  "approval.responded",
  "approval.notified",
  "approval.granted",
  "approval.denied_by_policy",
  "approval.expired",
  "approval.withdrawn",
  "approval.executing",
  "approval.executed",
  "approval.failed",
  "approval.interrupted",
  "approval.resolved",
] as const satisfies readonly AuditType[];

export type PublishedType = (typeof publishedTypes)[number];

export function isPublished(type: AuditType): type is PublishedType {
  return publishedTypes.some((published) => published === type);
}
