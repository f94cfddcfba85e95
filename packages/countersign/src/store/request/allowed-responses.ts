import { sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import type { Transaction } from "../database.js";
import { requestReading } from "../request-seen.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { allowedResponses } from "../schema.js";
import type { Judge } from "../verb.js";

/** Days after which a record is deleted. By then no other attempt of its step can still arrive. */
const keptDays = 7;

export interface AllowedResponse {
  tenantId: string;
  runId: string;
  /** The id that the response's request would have. */
  requestId: string;
}

/**
 * Records that all calls of a response may run without an approval, unless another attempt of the same step has proposed
 * them. It waits for proposals of the run that are in progress: either they find this record (`proposal_facts`), or
 * this finds their rows, which it returns.
 */
export function recordAllowed(judging: Judge, allowed: AllowedResponse): Promise<Approval[]> {
  const changes = { tenantId: allowed.tenantId, allowed, approvals: [], audited: [] };
  return judging(
    requestReading(allowed.requestId),
    (request) =>
      request ? { result: request.calls.map(({ row }) => approvalFromRow(row)) } : { result: [], changes },
    { changes, written: () => [] },
  );
}

export async function forgetAllowed({ db, statementNow: now }: Transaction): Promise<void> {
  await db
    .delete(allowedResponses)
    .where(sql`${allowedResponses.allowedAt} < ${now} - ${keptDays} * interval '1 day'`);
}
