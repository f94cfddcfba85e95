import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { and, desc, eq, inArray, lte, ne, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import type { Session } from "../database.js";
import type { EarlierCall } from "../ports/request-port.js";
import { approvals } from "../schema.js";
import { startedStatuses } from "../thread/conversation.js";

/** Maximum number of a thread's calls to compare, to keep long threads fast. */
const maxCompared = 200;

/** The last identical call that has started before this one: same thread, same tool, same arguments. */
export async function earlierCall({ db }: Session, approval: Approval): Promise<EarlierCall | undefined> {
  const { id, tenantId, threadId, toolName, createdAt, startedAt } = approval;
  if (threadId === null) return undefined;
  const isOpen = approval.status === "proposed" || approval.status === "pending";
  const recent = db
    .select({
      id: approvals.id,
      toolName: approvals.toolName,
      status: approvals.status,
      inputJson: sql<string>`coalesce(${approvals.editedInputJson}, ${approvals.inputJson})`.as("input_json"),
      beganAt: sql<Date>`coalesce(${approvals.startedAt}, ${approvals.decidedAt})`
        .mapWith(approvals.startedAt)
        .as("began_at"),
      finishedAt: sql<Date | null>`coalesce(${approvals.finishedAt}, ${approvals.decidedAt})`
        .mapWith(approvals.finishedAt)
        .as("finished_at"),
    })
    .from(approvals)
    .where(
      and(
        eq(approvals.tenantId, tenantId),
        eq(approvals.threadId, threadId),
        ne(approvals.id, id),
        // A pending call may be older than one that has run since.
        isOpen ? undefined : lte(approvals.createdAt, createdAt),
      ),
    )
    .orderBy(desc(approvals.createdAt))
    .limit(maxCompared)
    .as("recent");
  const own = argumentsOf(approval);
  const rows = await db
    .select()
    .from(recent)
    .where(
      and(
        eq(recent.toolName, toolName),
        inArray(recent.status, startedStatuses),
        // Equal JSON has equal length, whatever the order of its keys.
        sql`octet_length(${recent.inputJson}) = ${Buffer.byteLength(own)}`,
        startedAt === null ? undefined : sql`${recent.beganAt} < ${startedAt.toISOString()}::timestamptz`,
      ),
    )
    .orderBy(desc(recent.beganAt));
  const wanted = hashCanonical(JSON.parse(own));
  const same = rows.find(({ inputJson }) => hashCanonical(JSON.parse(inputJson)) === wanted);
  if (!same) return undefined;
  const status = same.status as EarlierCall["status"];
  return { approvalId: same.id, status, finishedAt: status === "executing" ? null : same.finishedAt };
}

function argumentsOf({ edited, inputJson }: Approval): string {
  return edited?.inputJson ?? inputJson;
}
