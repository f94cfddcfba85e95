import type { ApprovalStatus } from "../../../approval/status.js";
import type { Card } from "../../channel.js";
import { shownText, withVisibleEnds } from "./plain-text.js";

/** A call's risk at the beginning of a line. */
export const riskWords = {
  low: "Low risk",
  medium: "Medium risk",
  high: "High risk",
  critical: "Critical risk",
} as const;

const statusWords: Record<ApprovalStatus, string> = {
  proposed: "Approval needed",
  pending: "Approval needed",
  approved: "Approved",
  denied: "Denied",
  responded: "Answered",
  expired: "Expired",
  withdrawn: "Withdrawn",
  executing: "Approved, running",
  executed: "Approved, done",
  failed: "Approved, failed",
  interrupted: "Approved, interrupted",
};

/** "High risk: refund_order" for an open call, or its outcome: "Denied: refund_order". */
export function headline(card: Card): string {
  return `${card.open ? riskWords[card.risk] : statusWords[card.status]}: ${withVisibleEnds(shownText(card.toolName))}`;
}
