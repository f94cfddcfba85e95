import { eq, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import type { Session } from "../database.js";
import { approvals, auditEntries } from "../schema.js";
import { milliseconds } from "./evidence.js";

/**
 * The time of what a person decides about the call in a statement's row: now, but not before the log lets them. If the
 * database's clock has gone back since then, a decision would otherwise precede the announcement of its call, or the
 * escalation that named its person, and would not count. Drizzle would write columns without their tables here.
 */
export function decidedNow({ now }: Session) {
  return sql<Date>`greatest(${now}, (
    select max(entry.at) from ${auditEntries} entry where entry.tenant_id = ${approvals}.tenant_id
      and entry.approval_id = ${approvals}.id and entry.type in ('approval.announced', 'approval.escalated')))`;
}

/** {@link decidedNow} of a call, and the database's clock, in milliseconds since 1970. */
export async function timeOfDecision(
  session: Session,
  { id }: Pick<Approval, "id">,
): Promise<{ decidedAt: number; now: number }> {
  const [time] = await session.db
    .select({ decidedAt: milliseconds(decidedNow(session)), now: milliseconds(session.now) })
    .from(approvals)
    .where(eq(approvals.id, id));
  return { decidedAt: Number(time?.decidedAt), now: Number(time?.now) };
}
