import { and, eq } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { earliestMs, firstDeadlineMs } from "../../approval/first-deadline.js";
import { callFrom } from "../call-seen.js";
import type { Session } from "../database.js";
import type { RepeatedCalls, RequestHead } from "../ports/request-port.js";
import { type RequestDraft, requestReading } from "../request-seen.js";
import { approvalFromRow } from "../rows/approval-row.js";
import type { JsonRow } from "../rows/row-from-json.js";
import { storableJson } from "../rows/storable-json.js";
import { requests } from "../schema.js";
import type { Judge, Reading } from "../verb.js";

/** The approvals of a request, in the order of its calls. */
export function approvalsOf(judging: Judge, requestId: string, alsoOf?: RepeatedCalls): Promise<Approval[]> {
  return judging(callsReading({ requestId, ...alsoOf }), (result) => ({ result }));
}

function callsReading(asked: { requestId: string } & Partial<RepeatedCalls>): Reading<Approval[]> {
  return {
    kind: "calls",
    id: storableJson(asked),
    parse: (json) => ((json ?? []) as JsonRow[]).map((row) => approvalFromRow(callFrom(row))),
  };
}

export function readRequest(judging: Judge, requestId: string): Promise<RequestHead | undefined> {
  return judging(requestReading(requestId), (request) => ({ result: request && headOf(request) }));
}

function headOf({ row: { runId, appId, instanceId }, calls }: RequestDraft): RequestHead {
  const waiting = calls.filter(({ row: { status } }) => status === "proposed" || status === "pending");
  const deadlineMs = earliestMs(waiting.map(({ row }) => firstDeadlineMs(approvalFromRow(row))));
  return { runId, appId, instanceId, deadlineMs };
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
