import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { maxExtensionMs } from "../../approval/extension.js";
import { audit } from "../audit/audit.js";
import { builtOnce, type ValueOf } from "../built-once.js";
import { inOrder, type Transaction, together } from "../database.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals } from "../schema.js";
import { lockRequest } from "./lock-request.js";
import { approvalsOf } from "./read-request.js";
import { beginRound } from "./wake-up.js";

export async function announce(session: Transaction, requestId: string): Promise<Approval[]> {
  const [request, announced] = await inOrder(
    () => lockRequest(session, requestId),
    () => announceProposed(session, { requestId }),
  );
  for (const row of announced) {
    const { tenantId, id: approvalId, notify } = row;
    const data = { proofUntil: lastDeadline(approvalFromRow(row))?.toISOString() ?? null };
    const sentByRun = row.awaitedEventId === null;
    audit(session, { tenantId, approvalId, type: "approval.announced", notify, data, sentByRun });
  }
  const [calls] = await together([
    approvalsOf(session, requestId),
    request && beginRound(session, request, 0),
  ]);
  return calls;
}

const announceProposed = builtOnce(({ db, now }, value: ValueOf<"requestId">) => {
  // Read once for each call: the clock would move on between the two columns.
  const clock = db
    .select({ at: sql<Date>`${now}`.as("at") })
    .from(sql`(values (1)) as one`)
    .as("clock");
  return db
    .update(approvals)
    .set({
      status: "pending",
      announcedAt: sql`${clock.at}`,
      expiresAt: sql`${clock.at} + ${approvals.timeoutMs} * interval '1 millisecond'`,
    })
    .from(clock)
    .where(and(eq(approvals.requestId, value("requestId")), hasStatus("proposed")))
    .returning(getTableColumns(approvals));
});

/** When a call expires if its time is extended as often and by as much as its rule allows. */
function lastDeadline({ expiresAt, timeoutMs, terms }: Approval): Date | undefined {
  return expiresAt
    ? new Date(expiresAt.getTime() + terms.extensions * maxExtensionMs({ timeoutMs }))
    : undefined;
}
