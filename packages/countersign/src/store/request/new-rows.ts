import type { Approval } from "../../approval/approval.js";
import { nonDefaultTerms } from "../../approval/default-terms.js";
import { type CallRow, callFrom } from "../call-seen.js";
import type { NewRow } from "../changes.js";
import type { Proposal } from "../ports/request-port.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { jsonFromRow } from "../rows/row-to-json.js";
import { storableJson } from "../rows/storable-json.js";
import { approvals, requests } from "../schema.js";
import type { NewCall } from "./new-approval.js";

/** The row of a new request. */
export function newRequest(
  { requestId: id, tenantId, threadId, runId, appId, ...optional }: Proposal,
  { isSettled }: { isSettled: boolean },
): NewRow {
  const { instanceId = null, parentRunId = null, modelText = null } = optional;
  const row = { id, tenantId, threadId, runId, appId, instanceId, parentRunId, modelText, rounds: 0 };
  return {
    row: jsonFromRow(requests, row),
    now: ["created_at", ...(isSettled ? ["settled_at"] : [])],
    followed: 0,
  };
}

/**
 * The row of a new call. What is decided or withdrawn already is so from now on.
 *
 * @param set Its status, and what follows from it.
 * @param followed The number of calls that follow it in the response: lists are in the order of the time of calls.
 */
export function newCallRow(
  { fields }: NewCall,
  set: Pick<CallRow, "status"> & Partial<CallRow>,
  followed: number,
): NewRow {
  const never = { escalationSteps: 0, extensionsUsed: 0 };
  const terms = nonDefaultTerms(fields.terms);
  const row = { ...never, ...fields, notify: fields.notify ?? [], terms, ...set };
  const now = [
    ...(set.createdAt ? [] : ["created_at"]),
    ...(set.decisionType && !set.decidedAt ? ["decided_at"] : []),
    ...(set.status === "withdrawn" ? ["finished_at"] : []),
  ];
  return { row: jsonFromRow(approvals, row), now, followed };
}

/** The approval in a row that was written at a time. */
export function writtenApproval({ row, now, followed }: NewRow, at: Date): Approval {
  const timeOf = (column: string) =>
    column === "created_at" ? new Date(at.getTime() - followed).toISOString() : at.toISOString();
  const times = Object.fromEntries(now.map((column) => [column, timeOf(column)]));
  return approvalFromRow(callFrom({ ...JSON.parse(storableJson(row)), ...times }));
}
