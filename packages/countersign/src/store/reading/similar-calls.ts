import { dayMs } from "@countersign/policy/internal/shared/duration";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import { and, desc, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { historyDays, type SimilarCall } from "../../approval/call-history.js";
import type { Session } from "../database.js";
import { conditionsOf } from "../rows/list.js";
import { approvals } from "../schema.js";

/** Arguments that are longer, in bytes, are not compared. */
const maxCompared = 4_000;

/**
 * The calls of the same tool for the same person about which people decided in the days before, latest first, as far as a reader
 * may see them. The filters `outcome`, `decidedWithin` and `before` of lists find the same ones.
 */
export async function similarCalls(
  session: Session,
  approval: Approval,
  reader: Principal,
  limit: number,
): Promise<SimilarCall[]> {
  const { tenantId, toolName, requesterId } = approval;
  if (requesterId === null) return [];
  const ran = sql`coalesce(${approvals.editedInputJson}, ${approvals.inputJson})`;
  return session.db
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
        ...conditionsOf(session, {
          tenantId,
          visibleTo: reader,
          toolName,
          requesterId,
          outcome: "decided",
          decidedWithinMs: historyDays * dayMs,
          before: approval,
        }),
      ),
    )
    .orderBy(desc(approvals.decidedAt), desc(approvals.id))
    .limit(limit);
}
