import { approvalStatuses } from "@countersign/policy/internal/shared/approval-status";
import { and, desc, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "../database.js";
import type { ApproverInsight, Insight, InsightFilter, ShortDecidedRow } from "../ports/insight-port.js";
import { hasStatus } from "../rows/has-status.js";
import { visibleTo } from "../rows/visible-to.js";
import { approvals, votes } from "../schema.js";

/** Maximum number of rows of each table, the most frequent first. */
const maxRows = 200;
/** Arguments that are longer, in bytes, teach nothing. */
const maxLearned = 4_000;

/** How long calls waited for people, and what people decided. Held decisions have not been made yet. */
export async function readInsight(session: Transaction, filter: InsightFilter): Promise<Insight> {
  const { db } = session;
  const asked = askedCalls(session, filter);
  const wait = milliseconds(sql`${asked.settledAt} - ${asked.announcedAt}`);
  const rules = await db
    .with(asked)
    .select({
      toolName: asked.toolName,
      rules: asked.rules,
      asked: sql<number>`count(*)::int`,
      approved: countOf(asked.outcome, "approved"),
      denied: countOf(asked.outcome, "denied"),
      answered: countOf(asked.outcome, "answered"),
      expired: countOf(asked.outcome, "expired"),
      medianWaitMs: percentile(0.5, wait),
      p90WaitMs: percentile(0.9, wait),
      all: sql<number>`(sum(count(*)) over ())::int`,
    })
    .from(asked)
    .groupBy(asked.toolName, asked.rules)
    .orderBy(desc(sql`count(*)`), asked.toolName, asked.rules)
    .limit(maxRows);
  const approvers = await readApprovers(session, filter);
  const counted = rules[0]?.all ?? 0;
  return {
    asked: counted,
    more: counted >= filter.limit,
    rules: rules.map(({ all: _, rules: ids, ...row }) => ({ ...row, rules: JSON.parse(ids) as string[] })),
    approvers,
  };
}

/** Each person's decisions: their votes, and what they decided alone. */
async function readApprovers(session: Transaction, filter: InsightFilter): Promise<ApproverInsight[]> {
  const asked = askedCalls(session, filter);
  const judged = sql`lateral (
    select ${votes.principalId} as by, ${votes.votedAt} as at from ${votes}
      where ${votes.approvalId} = ${asked.id} and ${votes.takenBackAt} is null
    union all
    select ${asked.decidedBy}, ${asked.decidedAt} where ${asked.decidedBy} is not null and not exists (
      select from ${votes} where ${votes.approvalId} = ${asked.id} and ${votes.principalId} = ${asked.decidedBy}
        and ${votes.takenBackAt} is null
    )
  ) as judged`;
  const rows = await session.db
    .with(asked)
    .select({
      approverId: sql<string>`judged.by`,
      decisions: sql<number>`count(*)::int`,
      medianWaitMs: percentile(0.5, milliseconds(sql`judged.at - ${asked.announcedAt}`)),
    })
    .from(asked)
    .innerJoin(judged, sql`true`)
    .groupBy(sql`judged.by`)
    .orderBy(desc(sql`count(*)`), sql`judged.by`)
    .limit(maxRows);
  return rows.map((row) => ({ ...row, medianWaitMs: row.medianWaitMs ?? 0 }));
}

/** Every status but `proposed`, so that the index of lists finds the calls of a time. */
const announced = approvalStatuses.filter((status) => status !== "proposed");

/** The calls about which people were asked, the latest first. What a grant let through was judged by nobody. */
function askedCalls(session: Transaction, { limit, ...filter }: InsightFilter) {
  const decision = sql`case when ${approvals.decidedBy} is not null then ${approvals.decisionType} end`;
  const hasExpired = sql`(${hasStatus("expired")} and ${approvals.decidedAt} is null)`;
  return session.db.$with("asked").as(
    session.db
      .select({
        id: approvals.id,
        toolName: approvals.toolName,
        rules: sql<string>`jsonb_path_query_array(${approvals.terms}, '$.reasons[*].rule')::text`.as("rules"),
        announcedAt: approvals.announcedAt,
        decidedBy: approvals.decidedBy,
        decidedAt: approvals.decidedAt,
        settledAt: sql<Date | null>`case when ${approvals.decidedBy} is not null then ${approvals.decidedAt}
          when ${hasExpired} then ${approvals.finishedAt} end`.as("settled_at"),
        outcome: sql<
          string | null
        >`case ${decision} when 'approve' then 'approved' when 'edit' then 'approved'
          when 'deny' then 'denied' when 'respond' then 'answered'
          else case when ${hasExpired} then 'expired' end end`.as("outcome"),
      })
      .from(approvals)
      .where(
        and(
          ...ofTime(session, filter, "createdAt"),
          hasStatus(...announced),
          isNotNull(approvals.announcedAt),
          isNull(approvals.grantId),
        ),
      )
      .orderBy(desc(approvals.createdAt), desc(approvals.id))
      .limit(limit),
  );
}

/** The calls that people decided, latest first. Calls that somebody wanted to undo are decided, too. */
export async function listDecided(session: Transaction, filter: InsightFilter): Promise<ShortDecidedRow[]> {
  const isShort = sql`octet_length(${approvals.inputJson}) <= ${maxLearned}`;
  const rows = await session.db
    .select({
      id: approvals.id,
      toolName: approvals.toolName,
      inputJson: sql<string | null>`case when ${isShort} then ${approvals.inputJson} end`,
      threadId: approvals.threadId,
      policyContext: approvals.policyContext,
      verdict: approvals.verdict,
      risk: approvals.risk,
      terms: approvals.terms,
      status: approvals.status,
      withdrawalCause: approvals.withdrawalCause,
      decisionType: approvals.decisionType,
      decidedAt: approvals.decidedAt,
      deniedByOne: sql<boolean>`exists (
        select from ${votes} where ${votes.approvalId} = ${approvals.id} and ${votes.type} = 'deny'
          and ${votes.takenBackAt} is null)`,
      undoId: approvals.undoId,
      summary: approvals.summary,
    })
    .from(approvals)
    .where(
      and(
        ...ofTime(session, filter, "decidedAt"),
        or(isNotNull(approvals.undoId), and(isNotNull(approvals.decidedBy), isNull(approvals.grantId))),
      ),
    )
    .orderBy(desc(approvals.decidedAt), desc(approvals.id))
    .limit(filter.limit);
  return rows.flatMap(({ decisionType, decidedAt, ...row }) =>
    decisionType && decidedAt ? { ...row, decisionType, decidedAt } : [],
  );
}

/** The calls of a time, without undos, about which rules of their own ask. */
function ofTime(
  { statementNow: now }: Transaction,
  { tenantId, visibleTo: reader, days }: Omit<InsightFilter, "limit">,
  by: "createdAt" | "decidedAt",
): (SQL | undefined)[] {
  return [
    eq(approvals.tenantId, tenantId),
    sql`${approvals[by]} > ${now} - ${days}::int * interval '1 day'`,
    sql`${approvals.terms} ->> 'undoes' is null`,
    reader && visibleTo(reader),
  ];
}

function countOf(outcome: SQL.Aliased<string | null>, name: string) {
  return sql<number>`(count(*) filter (where ${outcome} = ${name}))::int`;
}

function milliseconds(interval: SQL): SQL {
  return sql`extract(epoch from ${interval}) * 1000`;
}

/** A percentile in whole milliseconds; `null` of nothing. */
function percentile(part: number, ms: SQL) {
  return sql<number | null>`round(percentile_cont(${part}::float8) within group (order by ${ms}))::float8`;
}
