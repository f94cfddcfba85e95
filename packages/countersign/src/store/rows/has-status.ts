import { type ApprovalStatus, approvalStatuses } from "@countersign/policy/internal/shared/approval-status";
import { type SQL, sql } from "drizzle-orm";
import { approvals } from "../schema.js";

/**
 * That a call has one of these statuses. They stand in the statement's text: Postgres plans a prepared statement without
 * its values, and would assume that the few pending calls are as frequent as the finished ones.
 */
export function hasStatus(...statuses: readonly ApprovalStatus[]): SQL {
  // What is written into a statement is of our own list, whatever a caller without types gives.
  const names = approvalStatuses.filter((status) => statuses.includes(status));
  if (names.length === 0) return sql`false`;
  return sql`${approvals.status} in (${sql.raw(names.map((name) => `'${name}'`).join(", "))})`;
}
