import { maxWindow } from "@countersign/policy/internal/policy/counts";
import { checkedDurationMs } from "@countersign/policy/internal/shared/duration";
import {
  approvals,
  countedCalls,
  deliveries,
  evidence,
  grants,
  outbox,
  requests,
  stops,
  threads,
} from "countersign/schema";
import { type SQL, sql } from "drizzle-orm";

/** A call that is not over. Once an approval that the host saved is decided, nothing here follows. */
const live = sql.raw(
  "(a.status in ('proposed', 'pending', 'executing') or (a.status = 'approved' and a.awaited_event_id is null))",
);
/** An interrupted call that nobody has resolved. */
const unresolved = sql.raw("(a.status = 'interrupted' and a.resolved_at is null)");

function timestamp(time: Date): SQL {
  return sql`${time.toISOString()}::timestamptz`;
}

/**
 * True for a request whose calls all ended before a time. False while one of these holds: a wake-up or a message is
 * due; an interrupted call is unresolved; or a call of the same run, or of a run that it invoked, is not over.
 */
export function isRequestOver(before: Date): SQL {
  const time = timestamp(before);
  const waitsIn = (column: "run_id" | "parent_run_id") => sql`exists (
    select from ${requests} r join ${approvals} a on a.tenant_id = r.tenant_id and a.request_id = r.id
    where r.${sql.raw(column)} = ${requests.runId} and r.tenant_id = ${requests.tenantId} and ${live})`;
  return sql`${requests.createdAt} < ${time} and coalesce(${requests.settledAt} < ${time}, true)
    and not exists (select from ${outbox} o where o.request_id = ${requests.id})
    and not exists (select from ${deliveries} d join ${approvals} a on a.tenant_id = d.tenant_id and a.id = d.approval_id
      where a.tenant_id = ${requests.tenantId} and a.request_id = ${requests.id} and d.state = 'due')
    and not exists (select from ${approvals} a
      where a.tenant_id = ${requests.tenantId} and a.request_id = ${requests.id} and (${live} or ${unresolved}
        or greatest(a.created_at, a.decided_at, a.finished_at, a.resolved_at) >= ${time}))
    and not ${waitsIn("run_id")} and not ${waitsIn("parent_run_id")}`;
}

/** True for a request with a call that a limit over time may count at a time. */
export function isRequestCounted(at: SQL): SQL {
  return sql`exists (select from ${approvals} a join ${countedCalls} c on c.approval_id = a.id
    where a.tenant_id = ${requests.tenantId} and a.request_id = ${requests.id}
      and c.at > ${at} - ${checkedDurationMs(maxWindow)} * interval '1 millisecond')`;
}

/** True for a request of this person. */
export function isRequestOf(personId: string): SQL {
  return sql`exists (select from ${approvals} a where a.tenant_id = ${requests.tenantId}
    and a.request_id = ${requests.id} and a.requester_id = ${personId})`;
}

/** Hours without a change after which a running thread counts as abandoned. */
const silentHours = 24;

/** True for a thread that last changed before a time, and has no pending or unresolved call. */
export function isThreadOver(before: Date, now: SQL): SQL {
  return sql`${threads.updatedAt} < ${timestamp(before)}
    and (${threads.status} <> 'running' or ${threads.updatedAt} < ${now} - ${silentHours} * interval '1 hour')
    and not exists (select from ${approvals} a where a.tenant_id = ${threads.tenantId}
      and a.thread_id = ${threads.id} and (${live} or ${unresolved}))`;
}

/**
 * True for a grant that expired before a time, even if it was revoked or used up earlier. Until it expires, only its
 * row and the log prevent somebody with a copy of the row from using the grant again.
 */
export function isGrantOver(before: Date): SQL {
  return sql`${grants.expiresAt} < ${timestamp(before)} and not exists (
    select from ${approvals} a where a.tenant_id = ${grants.tenantId} and a.status in ('approved', 'executing')
      and a.grant_id = ${grants.id})`;
}

/** True for evidence that expired before a time and whose approval is gone, or that never had one. */
export function isProofOver(before: Date): SQL {
  return sql`${evidence.expiresAt} < ${timestamp(before)} and not exists (
    select from ${approvals} a where a.tenant_id = ${evidence.tenantId} and a.id = ${evidence.approvalId})`;
}

export function isStopOver(before: Date): SQL {
  return sql`${stops.releasedAt} < ${timestamp(before)}`;
}
