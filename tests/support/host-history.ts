import type { HistoryConfig, StateData } from "@inngest/agent-kit";
import type { ApprovalHistory } from "countersign/types";
import type postgres from "postgres";

type Saved = Parameters<NonNullable<ApprovalHistory["savePendingApproval"]>>[0];
type Resolved = Parameters<NonNullable<ApprovalHistory["resolvePendingApproval"]>>[0];

/** A call of one of the host's methods. */
export type HostCall = { save: Saved } | { resolve: Resolved };

/**
 * A host's own HistoryConfig with the methods of the proposal "Tool approval and HITL workflow in AgentKit", on a table
 * of the host. `attempts` are the calls of its methods, also those that failed; `calls` are those that did not.
 */
export async function openHostHistory(sql: postgres.Sql) {
  await sql`create table if not exists host_approvals (
    approval_id text primary key, thread_id text not null, event_id text not null, tool_name text not null,
    tool_input jsonb not null, tool_call_id text not null, status text not null, created_at timestamptz not null,
    expires_at timestamptz, resolved_at timestamptz, resolved_by text)`;
  const attempts: HostCall[] = [];
  const calls: HostCall[] = [];
  const failures: (Error | "hang")[] = [];
  const attempt = async (call: HostCall, work: () => Promise<unknown>) => {
    attempts.push(call);
    const failure = failures.shift();
    if (failure === "hang") await new Promise(() => {});
    if (failure) throw failure;
    await work();
    calls.push(call);
  };
  const history: HistoryConfig<StateData> & Required<ApprovalHistory> = {
    createThread: async ({ state }) => ({ threadId: state.threadId ?? "thread-of-the-host" }),
    get: async () => [],
    appendResults: async () => {},
    savePendingApproval: (details) =>
      attempt(
        { save: details },
        () => sql`insert into host_approvals values (${details.approvalId}, ${details.threadId},
          ${details.eventIdToWaitFor}, ${details.toolName}, ${sql.json(details.toolInput as postgres.JSONValue)},
          ${details.toolCallId}, ${details.status}, ${details.createdAt}, ${details.expiresAt ?? null})
          on conflict (approval_id) do update set expires_at = excluded.expires_at`,
      ),
    resolvePendingApproval: (details) =>
      attempt(
        { resolve: details },
        () => sql`update host_approvals set status = ${details.status}, resolved_at = ${details.resolvedAt},
          resolved_by = ${details.resolvedBy ?? null} where approval_id = ${details.approvalId}`,
      ),
    listPendingApprovals: async ({ threadId, status = "pending" }) => {
      const rows = await sql`select * from host_approvals where status = ${status}
        and (${threadId ?? null}::text is null or thread_id = ${threadId ?? null}) order by created_at`;
      return rows.map((row) => ({
        approvalId: row.approval_id,
        threadId: row.thread_id,
        eventIdToWaitFor: row.event_id,
        toolName: row.tool_name,
        toolInput: row.tool_input,
        status: row.status,
        createdAt: row.created_at,
        ...(row.expires_at && { expiresAt: row.expires_at }),
      }));
    },
  };
  return {
    history,
    attempts,
    calls,
    /** The names of `calls`. */
    names: () => calls.flatMap((call) => Object.keys(call)),
    /** Makes the next calls fail. */
    fail: (...next: (Error | "hang")[]) => void failures.push(...next),
    /** Makes no further call fail. */
    recover: () => void failures.splice(0),
  };
}
