import { and, asc, eq, or, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { earliestMs, firstDeadlineMs } from "../../approval/first-deadline.js";
import { builtOnce, type ValueOf } from "../built-once.js";
import type { Session } from "../database.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { approvals, requests } from "../schema.js";
import type { Store } from "../store.js";

const rowsOf = builtOnce(({ db }, value: ValueOf<"requestId">) =>
  db
    .select()
    .from(approvals)
    .where(eq(approvals.requestId, value("requestId")))
    .orderBy(asc(approvals.position)),
);

export async function approvalsOf(session: Session, requestId: string): Promise<Approval[]> {
  const rows = await rowsOf(session, { requestId });
  return rows.map((row) => approvalFromRow(row));
}

const rowsWithRepeats = builtOnce(({ db }, value: ValueOf<"requestId" | "runId" | "callIds">) =>
  db
    .select()
    .from(approvals)
    .where(
      or(
        eq(approvals.requestId, value("requestId")),
        and(
          eq(approvals.runId, value("runId")),
          sql`${approvals.toolCallId} in (select json_array_elements_text(${value("callIds")}::json))`,
        ),
      ),
    )
    .orderBy(asc(approvals.position)),
);

/** With the approvals of a run for calls with these ids, whatever their request. */
export async function approvalsWithRepeats(
  session: Session,
  requestId: string,
  { runId, callIds }: { runId: string; callIds: readonly string[] },
): Promise<Approval[]> {
  const rows = await rowsWithRepeats(session, { requestId, runId, callIds: JSON.stringify(callIds) });
  return rows.map((row) => approvalFromRow(row));
}

export async function readRequest(session: Session, requestId: string): ReturnType<Store["readRequest"]> {
  const [request] = await session.db.select().from(requests).where(eq(requests.id, requestId));
  if (!request) return undefined;
  const calls = await approvalsOf(session, requestId);
  const waiting = calls.filter((call) => call.status === "proposed" || call.status === "pending");
  return {
    runId: request.runId,
    appId: request.appId,
    instanceId: request.instanceId,
    deadlineMs: earliestMs(waiting.map(firstDeadlineMs)),
  };
}

export async function readModelText(
  { db }: Session,
  tenantId: string,
  requestId: string,
): Promise<string | null> {
  const [request] = await db
    .select({ modelText: requests.modelText })
    .from(requests)
    .where(and(eq(requests.id, requestId), eq(requests.tenantId, tenantId)));
  return request?.modelText ?? null;
}
