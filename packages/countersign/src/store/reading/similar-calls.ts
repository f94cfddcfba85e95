import { and, desc, eq, isNotNull, isNull, lte, ne, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { historyDays, type SimilarCall } from "../../approval/call-history.js";
import type { Principal } from "../../shared/principal.js";
import type { Session } from "../database.js";
import { visibleTo } from "../rows/visible-to.js";
import { approvals } from "../schema.js";

/** Arguments that are longer, in bytes, are not compared. */
const maxCompared = 4_000;

/**
 * The calls of the same tool for the same person about which people decided in the days before, latest first, as far as a reader
 * may see them. What the policy or a grant let through was judged by nobody.
 */
export async function similarCalls(
  { db }: Session,
  { id, tenantId, toolName, requesterId, createdAt }: Approval,
  reader: Principal,
  limit: number,
): Promise<SimilarCall[]> {
  if (requesterId === null) return [];
  const ran = sql`coalesce(${approvals.editedInputJson}, ${approvals.inputJson})`;
  return db
    .select({
      decisionType: approvals.decisionType,
      // Only those of approved calls are compared.
      inputJson: sql<
        string | null
      >`case when ${approvals.decisionType} in ('approve', 'edit') and octet_length(${ran}) <= ${maxCompared}
        then ${ran} end`,
      redact: sql<string[]>`coalesce(${approvals.terms} -> 'redact', '[]')`,
      redactPatterns: sql<string[]>`coalesce(${approvals.terms} -> 'redactPatterns', '[]')`,
    })
    .from(approvals)
    .where(
      and(
        eq(approvals.tenantId, tenantId),
        eq(approvals.toolName, toolName),
        eq(approvals.requesterId, requesterId),
        ne(approvals.id, id),
        lte(approvals.createdAt, createdAt),
        isNotNull(approvals.decidedBy),
        isNull(approvals.grantId),
        // Bound as text: a Date would lose its fraction.
        sql`${approvals.decidedAt} > ${createdAt.toISOString()}::timestamptz - ${historyDays} * interval '1 day'`,
        visibleTo(reader),
      ),
    )
    .orderBy(desc(approvals.decidedAt), desc(approvals.id))
    .limit(limit);
}
