import type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { sql } from "drizzle-orm";
import { auditEntries, votes } from "../schema.js";

/** The last entry of some types about a call. */
export interface LoggedState {
  position: number;
  type: string;
  actor: string | null;
  /** Milliseconds since 1970. */
  at: number;
  digest?: string | null;
  editedDigest?: string | null;
  reasonHash?: string | null;
  responseHash?: string | null;
  outcomeHash?: string | null;
  /** When the decision was made, if the entry has another time: it was held, or the clock had gone back. */
  madeAt?: string | null;
  /** Until when a decision is held. */
  until?: string | null;
}

/**
 * A person about whose vote on the call of a statement's row the log says something else: they did not cast it, cast another
 * one last, or took it back in only one of the two. A deciding vote right at the deadline has no effect, because the call
 * has expired, and is not in the log.
 */
export const otherVoter = sql<string | null>`(
  select v.principal_id from ${votes} v
  where v.tenant_id = approvals.tenant_id and v.approval_id = approvals.id
    and approvals.status <> 'expired' and not coalesce((
      select case when e.type = 'approval.taken_back' then v.taken_back_at is not null
        else v.taken_back_at is null and v.type = case e.type
          when 'approval.approved' then 'approve' when 'approval.denied' then 'deny' else e.data->>'type' end end
      from ${auditEntries} e
      where e.tenant_id = v.tenant_id and e.approval_id = v.approval_id and e.actor_id = v.principal_id
        and (e.type in ('approval.approved', 'approval.denied', 'approval.taken_back')
          or e.type in ('approval.voted', 'approval.held') and e.data->>'type' in ('approve', 'deny'))
      order by e.position desc limit 1), false)
  limit 1)`;

/** What a row and the log say about the decision of a call that was held. */
interface Held {
  status: ApprovalStatus;
  /** The entry of the decision. */
  decision: LoggedState | null;
  /** The last entry about a decision that was held, or taken back. */
  hold: LoggedState | null;
  /** Who holds a decision of the pending call, and until when, by its row. */
  heldBy: string | null;
  heldUntil: Date | null;
}

/** How a row and the log differ about a decision that is held, or was held for too short a time. */
export function holdProblem(row: Held): { position: number | undefined; words: string } | undefined {
  const { status, decision } = row;
  const hold = row.hold?.type === "approval.held" ? row.hold : null;
  if (status !== "pending") {
    const until = hold?.until;
    if (!hold || !until || !decision || decision.position < hold.position) return undefined;
    if (decision.at >= Date.parse(until)) return undefined;
    const words = `Entry ${decision.position} (${decision.type}): the decision was held until ${until}, and took effect before`;
    return { position: decision.position, words };
  }
  const position = row.hold?.position;
  const byLog = hold?.actor ?? null;
  if (byLog !== (row.heldBy === null ? null : storableText(row.heldBy))) {
    const held = (by: string | null) => (by === null ? "no decision is held" : `a decision of ${by} is held`);
    return { position, words: `By the log, ${held(byLog)}, by the call's row ${held(row.heldBy)}` };
  }
  if (hold && hold.until !== row.heldUntil?.toISOString()) {
    const words = `By the log, the decision is held until ${hold.until}, by its row until another time`;
    return { position, words };
  }
  return undefined;
}
