import type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";
import { and, asc, eq, getTableColumns, gt, like, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Session } from "../database.js";
import { approvals, auditEntries, grants } from "../schema.js";
import type { Transact } from "../transact.js";
import { type Compared, type Fault, fault, faultOf, stateAfter } from "./row-fault.js";
import { type LoggedState, otherVoter } from "./verify-people.js";

/** Rows, or log positions, that one statement checks. A row may have a long outcome. */
const pageSize = 100;
const positionsAtOnce = 10_000;

/**
 * Compares a tenant's rows with its log: each approval's states, content, decision, outcome, votes and undo, and each grant
 * with what was spent of its budget. A row disagrees if it was changed with SQL, or if it outlived the end of a truncated log. Rows may be
 * deleted once their call is decided (docs/operating/retention.md); missing ones are counted.
 *
 * @param range Positions of the first entry that is not sealed, and of the last one, for faults about rows without an
 * entry.
 */
export async function verifyRows(
  inTenant: Transact,
  tenantId: string,
  range: { from: number; end: number },
): Promise<Fault | { deleted: number }> {
  const { end } = range;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page: Compared[] = await inTenant((tx) => readPage(tx, tenantId, after ?? ""));
    for (const row of page) {
      const fault = faultOf(row, end);
      if (fault) return fault;
    }
    after = page.length === pageSize ? page.at(-1)?.row.id : undefined;
  }
  const forged = await inTenant((tx) => grantWithoutEntry(tx, tenantId));
  if (forged) return fault(end, forged.approvalId, `The log has no entry for grant ${forged.id}`);
  const reset = await inTenant((tx) => grantWithOtherSum(tx, tenantId));
  if (reset) {
    const words = `By the log, the calls of grant ${reset.id} have spent another amount than its row says`;
    return fault(end, reset.approvalId, words);
  }
  const unmarked = await inTenant((tx) => undoWithoutEntry(tx, tenantId));
  if (unmarked)
    return fault(end, unmarked.id, "The log has no entry that the call was undone, but its undo ran");
  let deleted = 0;
  for (let from = range.from; from <= end; from += positionsAtOnce) {
    const gone = await inTenant((tx) => rowsGone(tx, tenantId, from));
    const open = gone.find(({ last }) => last === "proposed" || last === "pending");
    if (open) {
      const words = `Entry ${open.position} proposes a call that is still open, but its row is missing`;
      return fault(open.position, open.approvalId, words);
    }
    deleted += gone.length;
  }
  return { deleted };
}

async function readPage({ db }: Session, tenantId: string, after: string): Promise<Compared[]> {
  // Drizzle omits the table's name from selected columns, and a subquery would take them for its own.
  const entry = sql`json_build_object('position', e.position, 'type', e.type, 'actor', e.actor_id,
      'at', extract(epoch from e.at) * 1000,
      'madeAt', coalesce(e.data->>'heldFrom', e.data->>'decidedAt'), ${sql.raw(details.map((name) => `'${name}', e.data->>'${name}'`).join(", "))})`;
  const about = (types: readonly string[]) => sql`${auditEntries} e
    where e.tenant_id = approvals.tenant_id and e.approval_id = approvals.id
      and e.type = any(string_to_array(${types.join(" ")}, ' '))`;
  return db
    .select({
      row: getTableColumns(approvals),
      states:
        sql`(select coalesce(json_agg(${entry} order by e.position), '[]')::text from ${about(Object.keys(stateAfter))})`.mapWith(
          (states): LoggedState[] => JSON.parse(states),
        ),
      undoneBy: sql<string | null>`(
        select e.data->>'undoId' from ${about(["call.undone"])} order by e.position limit 1)`,
      heldBy: sql<
        string | null
      >`case when ${approvals.status} = 'pending' then ${approvals.held} ->> 'decidedBy' end`,
      hold: sql`(
        select ${entry}::text from ${about(["approval.held", "approval.taken_back"])} order by e.position desc limit 1)`.mapWith(
        (hold): LoggedState | null => JSON.parse(hold),
      ),
      voter: otherVoter,
    })
    .from(approvals)
    .where(and(eq(approvals.tenantId, tenantId), gt(approvals.id, after)))
    .orderBy(asc(approvals.id))
    .limit(pageSize);
}

/** What is compared of an entry, besides its type, actor and time. */
const details = [
  "digest",
  "editedDigest",
  "reasonHash",
  "responseHash",
  "outcomeHash",
  "until",
] as const satisfies (keyof LoggedState)[];

function grantWithoutEntry(session: Session, tenantId: string) {
  return anyGrant(
    session,
    tenantId,
    sql`not exists (select from ${auditEntries} e
      where e.tenant_id = ${grants.tenantId} and e.approval_id = ${grants.approvalId}
        and e.type in ('grant.created', 'approval.resolved') and e.data->>'grantId' = ${grants.id})`,
  );
}

/** A grant whose row says that its calls have spent more or less of its budget than started by the log. */
function grantWithOtherSum(session: Session, tenantId: string) {
  return anyGrant(
    session,
    tenantId,
    sql`${grants.budget} is not null
      and ${grants.spent} <> (select coalesce(sum((e.data->>'amount')::numeric), 0) from ${auditEntries} e
        where e.tenant_id = ${grants.tenantId} and e.type = 'approval.granted' and (e.data->>'grantId') = ${grants.id}
          and exists (select from ${auditEntries} s where s.tenant_id = e.tenant_id
            and s.approval_id = e.approval_id and s.type = 'approval.executing'))`,
  );
}

/** A call with an undo that ran, which the log does not know. */
async function undoWithoutEntry({ db }: Session, tenantId: string): Promise<{ id: string } | undefined> {
  const undo = alias(approvals, "undo");
  const [found] = await db
    .select({ id: approvals.id })
    .from(undo)
    .innerJoin(
      approvals,
      and(
        eq(approvals.tenantId, undo.tenantId),
        eq(approvals.id, sql`${undo.terms}->'undoes'->>'approvalId'`),
      ),
    )
    .where(
      and(
        eq(undo.tenantId, tenantId),
        eq(undo.status, "executed"),
        // The name first: it is cheaper to read than the terms.
        like(undo.toolName, "%.undo"),
        sql`not exists (select from ${auditEntries} e
          where e.tenant_id = ${undo.tenantId} and e.approval_id = ${approvals.id}
            and e.type = 'call.undone' and e.data->>'undoId' = ${undo.id})`,
      ),
    )
    .limit(1);
  return found;
}

/** A grant of the tenant that meets a condition. */
async function anyGrant(
  { db }: Session,
  tenantId: string,
  condition: SQL,
): Promise<{ id: string; approvalId: string } | undefined> {
  const [found] = await db
    .select({ id: grants.id, approvalId: grants.approvalId })
    .from(grants)
    .where(and(eq(grants.tenantId, tenantId), condition))
    .limit(1);
  return found;
}

interface Gone {
  approvalId: string;
  /** Position of the first entry about it. */
  position: number;
  /** The last state in the log. */
  last: ApprovalStatus | undefined;
}

/** Calls that begin in a part of the log and whose rows are gone. */
async function rowsGone({ db }: Session, tenantId: string, from: number): Promise<Gone[]> {
  const of = sql`e.tenant_id = audit_entries.tenant_id and e.approval_id = audit_entries.approval_id`;
  const rows = await db
    .select({
      approvalId: sql<string>`approval_id`,
      position: auditEntries.position,
      last: sql<string | null>`(select e.type from ${auditEntries} e
        where ${of} and e.type = any(string_to_array(${Object.keys(stateAfter).join(" ")}, ' '))
        order by e.position desc limit 1)`,
    })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.tenantId, tenantId),
        sql`${auditEntries.position} between ${from} and ${from + positionsAtOnce - 1}`,
        sql`${auditEntries.approvalId} is not null`,
        sql`not exists (select from ${approvals} a
          where a.tenant_id = ${auditEntries.tenantId} and a.id = ${auditEntries.approvalId})`,
        sql`not exists (select from ${auditEntries} e where ${of} and e.position < ${auditEntries.position})`,
      ),
    );
  return rows.map(({ last, ...row }) => ({ ...row, last: last === null ? undefined : stateAfter[last] }));
}
