import type { AuditType } from "@countersign/policy/internal/display/audit-types";
import type { DeliveryEvent } from "./channel.js";

/**
 * Maps types of audit entries to the channel events that report them. Entries of other types do not change what a card
 * shows.
 */
export const reportedTypes = {
  "approval.announced": "approval.pending",
  "approval.reminded": "approval.reminded",
  "approval.escalated": "approval.escalated",
  "approval.assigned": "approval.assigned",
  "approval.voted": "approval.voted",
  "approval.taken_back": "approval.voted",
  "approval.extended": "approval.extended",
  "approval.approved": "approval.decided",
  "approval.edited": "approval.decided",
  "approval.denied": "approval.decided",
  "approval.responded": "approval.decided",
  "approval.notified": "approval.decided",
  "approval.granted": "approval.decided",
  "approval.denied_by_policy": "approval.decided",
  "approval.expired": "approval.expired",
  "approval.withdrawn": "approval.withdrawn",
  "approval.executing": "approval.started",
  "approval.executed": "approval.finished",
  "approval.failed": "approval.finished",
  "approval.interrupted": "approval.finished",
  "approval.resolved": "approval.finished",
  "call.undone": "approval.undone",
} as const satisfies Partial<Record<AuditType, DeliveryEvent>>;

/** The type of an audit entry that channels report. */
export type ReportedType = keyof typeof reportedTypes;

/** The channel event for an audit entry; `undefined` if channels do not report the entry. */
export function eventOf(type: AuditType): DeliveryEvent | undefined {
  return Object.hasOwn(reportedTypes, type) ? reportedTypes[type as ReportedType] : undefined;
}
