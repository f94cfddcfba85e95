import { and, count, desc, eq, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { WithdrawalCause } from "../approval/approval.js";
import type { Session } from "./database.js";
import { approvals } from "./schema.js";
import type { Proposal, ProposedCall } from "./store.js";
import { type UsedGrant, useGrant } from "./use-grant.js";

/** What becomes of a call beside its verdict: nothing more, let through by a grant, or refused without a question. */
export type Admission =
  | { kind: "as_judged" }
  | { kind: "granted"; grant: UsedGrant }
  | { kind: "refused"; cause: WithdrawalCause; duplicateOf: string | null };

/** True when a person would have to act. */
export function asksPeople({ verdict }: ProposedCall): boolean {
  return verdict === "ask" || verdict === "manual";
}

/**
 * Lets the proposals of a tenant take turns, so that what is counted here still holds at the commit. Taken before
 * any other lock; whoever holds it waits for rows of grants and the audit log's head, whose holders never wait for it.
 */
export async function takeTurn({ db }: Session, tenantId: string): Promise<void> {
  await db.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`countersign:propose:${tenantId}`}, 0))`,
  );
}

/** Decides about one call after the other whether anybody is to be asked. */
export async function createAdmission(
  session: Session,
  proposal: Proposal,
): Promise<(call: ProposedCall) => Promise<Admission>> {
  if (!proposal.calls.some(asksPeople)) return async () => ({ kind: "as_judged" });
  const { limits } = proposal;
  const waiting = limits && (await waitingCounts(session, proposal));
  const discouraged = limits && (await isDiscouraged(session, proposal, limits.denialsInARow));
  const admitted = new Map<string, string>();
  return async (call) => {
    if (!asksPeople(call)) return { kind: "as_judged" };
    const duplicateOf = admitted.get(call.digest) ?? (await waitingTwin(session, proposal, call.digest));
    if (duplicateOf) return { kind: "refused", cause: "duplicate_call", duplicateOf };
    const grant = await useGrant(session, proposal, call);
    if (grant) return { kind: "granted", grant };
    if (discouraged) return { kind: "refused", cause: "too_many_denials", duplicateOf: null };
    const more = admitted.size;
    const full =
      limits &&
      waiting &&
      (waiting.run + more >= limits.pendingPerRun ||
        waiting.thread + more >= limits.pendingPerThread ||
        waiting.tenant + more >= limits.pendingPerTenant);
    if (full) return { kind: "refused", cause: "too_many_pending", duplicateOf: null };
    admitted.set(call.digest, call.id);
    return { kind: "as_judged" };
  };
}

/** Calls of a tenant that wait for a person. What was never announced counts for as long as people would have had. */
function isWaiting({ now }: Session, tenantId: string): SQL | undefined {
  return and(
    eq(approvals.tenantId, tenantId),
    inArray(approvals.status, ["proposed", "pending"]),
    sql`coalesce(${approvals.expiresAt}, ${approvals.createdAt} + ${approvals.timeoutMs} * interval '1 millisecond') > ${now}`,
  );
}

async function waitingCounts(session: Session, { tenantId, runId, threadId }: Proposal) {
  const [found] = await session.db
    .select({
      tenant: count(),
      run: sql<number>`count(*) filter (where ${approvals.runId} = ${runId}::text)`.mapWith(Number),
      thread: sql<number>`count(*) filter (where ${approvals.threadId} = ${threadId}::text)`.mapWith(Number),
    })
    .from(approvals)
    .where(isWaiting(session, tenantId));
  return found ?? { tenant: 0, run: 0, thread: 0 };
}

/** The call with the same digest that waits in the same thread, or in the same run where there is no thread. */
async function waitingTwin(
  session: Session,
  { tenantId, threadId, runId }: Proposal,
  digest: string,
): Promise<string | undefined> {
  if (threadId === null && runId === null) return undefined;
  const place =
    threadId === null
      ? and(isNull(approvals.threadId), eq(approvals.runId, runId ?? ""))
      : eq(approvals.threadId, threadId);
  const [twin] = await session.db
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(isWaiting(session, tenantId), place, eq(approvals.digest, digest)))
    .orderBy(approvals.createdAt, approvals.id)
    .limit(1);
  return twin?.id;
}

/** True when people's last decisions about a run's calls, as many as the limit, were denials. */
async function isDiscouraged(
  { db }: Session,
  { tenantId, runId }: Proposal,
  denialsInARow: number,
): Promise<boolean> {
  if (runId === null) return false;
  const last = await db
    .select({ type: approvals.decisionType })
    .from(approvals)
    .where(
      and(
        eq(approvals.tenantId, tenantId),
        eq(approvals.runId, runId),
        isNotNull(approvals.decidedBy),
        isNull(approvals.grantId),
      ),
    )
    .orderBy(desc(approvals.decidedAt), desc(approvals.id))
    .limit(denialsInARow);
  return last.length === denialsInARow && last.every(({ type }) => type === "deny");
}
