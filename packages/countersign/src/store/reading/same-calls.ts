import { requestHumanInputName } from "@countersign/policy/internal/policy/rules/question-rule";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import { and, desc, eq, lte, ne, type SQL, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { argumentsHash } from "../../approval/approval-digest.js";
import { rememberedDays, type SameCall, startedStatuses } from "../../approval/earlier-call.js";
import type { Session } from "../database.js";
import { hasStatus } from "../rows/has-status.js";
import { visibleTo } from "../rows/visible-to.js";
import { approvals } from "../schema.js";

/** Maximum number of the same calls. */
const maxSame = 20;

/**
 * The latest calls with the same tool and arguments that have started before one, as far as a reader may see them. A question is
 * the same only in its conversation.
 *
 * @param reader `null`: one who may see all calls.
 */
export async function sameCalls(
  { db }: Session,
  approval: Approval,
  reader: Principal | null,
): Promise<SameCall[]> {
  const { id, tenantId, threadId, toolName, createdAt, startedAt, edited } = approval;
  const isQuestion = toolName === requestHumanInputName;
  if (isQuestion && threadId === null) return [];
  const isOpen = approval.status === "proposed" || approval.status === "pending";
  // As text: a Date would lose its fraction.
  const at = (time: Date): SQL => sql`${time.toISOString()}::timestamptz`;
  const began = sql<Date>`coalesce(${approvals.startedAt}, ${approvals.decidedAt})`.mapWith(
    approvals.startedAt,
  );
  const rows = await db
    .select({
      approvalId: approvals.id,
      threadId: approvals.threadId,
      status: approvals.status,
      startedAt: began,
      finishedAt: sql<Date | null>`coalesce(${approvals.finishedAt}, ${approvals.decidedAt})`.mapWith(
        approvals.finishedAt,
      ),
      decidedBy: sql<string | null>`case when ${approvals.grantId} is null then ${approvals.decidedBy} end`,
      redact: sql<string[]>`coalesce(${approvals.terms} -> 'redact', '[]')`,
      redactPatterns: sql<string[]>`coalesce(${approvals.terms} -> 'redactPatterns', '[]')`,
    })
    .from(approvals)
    .where(
      and(
        eq(approvals.tenantId, tenantId),
        eq(
          approvals.argumentsHash,
          argumentsHash({ ...approval, inputJson: edited?.inputJson ?? approval.inputJson }),
        ),
        hasStatus(...startedStatuses),
        ne(approvals.id, id),
        sql`${approvals.createdAt} > ${at(createdAt)} - ${rememberedDays} * interval '1 day'`,
        // A pending call may be older than one that has run since.
        isOpen ? undefined : lte(approvals.createdAt, createdAt),
        startedAt === null ? undefined : sql`${began} < ${at(startedAt)}`,
        isQuestion && threadId !== null ? eq(approvals.threadId, threadId) : undefined,
        reader === null ? undefined : visibleTo(reader),
      ),
    )
    .orderBy(desc(approvals.createdAt))
    .limit(maxSame);
  return rows.map((row) => {
    const status = row.status as SameCall["status"];
    return { ...row, status, finishedAt: status === "executing" ? null : row.finishedAt };
  });
}
