import { sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { inOrder, type Transaction } from "../database.js";
import { allowedResponses, requests } from "../schema.js";
import { waitForProposals } from "./ended-runs.js";
import { approvalsOf } from "./read-request.js";

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
 * them. It waits for proposals of the run that are in progress: either they find this record
 * (`proposal_facts`), or this finds their rows, which it returns.
 */
export async function recordAllowed(
  session: Transaction,
  { tenantId, runId, requestId }: AllowedResponse,
): Promise<Approval[]> {
  const { db, now } = session;
  const [, , proposed] = await inOrder(
    () => waitForProposals(session, runId),
    () =>
      db.execute(sql`insert into ${allowedResponses} (request_id, tenant_id, allowed_at)
        select ${requestId}, ${tenantId}, ${now}
        where not exists (select from ${requests} where ${requests.id} = ${requestId})
        on conflict do nothing`),
    () => approvalsOf(session, requestId),
  );
  return proposed;
}

export async function forgetAllowed({ db, statementNow: now }: Transaction): Promise<void> {
  await db
    .delete(allowedResponses)
    .where(sql`${allowedResponses.allowedAt} < ${now} - ${keptDays} * interval '1 day'`);
}
