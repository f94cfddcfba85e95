import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import { and, count, desc, eq, isNotNull, isNull, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { OverBudget } from "../../approval/budget.js";
import { externalToolVersion } from "../../approval/external-tool-version.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import { builtOnce, type ValueOf } from "../built-once.js";
import { oneRow, type Session, together } from "../database.js";
import { findGrants, type UsedGrant, useGrant } from "../grant/use-grant.js";
import type { Proposal, ProposedCall } from "../ports/request-port.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals } from "../schema.js";
import { hashOf } from "./new-approval.js";

/** Programs outside of AgentKit have no runs, so denials and withdrawals of their calls count for this long. */
const programMemoryMinutes = 60;

/** The outcome for a call beside its verdict: unchanged, covered by a grant, or refused without asking. */
export type Admission =
  | { kind: "as_judged"; overBudget?: OverBudget }
  | { kind: "granted"; grant: UsedGrant }
  | { kind: "refused"; cause: WithdrawalCause; duplicateOf: string | null };

/** True if a person would have to act. */
export function asksPeople({ verdict }: ProposedCall): boolean {
  return verdict === "ask" || verdict === "manual";
}

/**
 * Makes the proposals of a tenant wait for each other, so that the counts made here still hold at the commit. Take this
 * lock before any other: its holder then waits for rows of grants and for the audit log's head, and their holders never
 * wait for it.
 */
export function takeTurn(session: Session, tenantId: string): Promise<unknown> {
  return takingTurn(session, { name: `countersign:propose:${tenantId}` });
}

const takingTurn = builtOnce(({ db }, value: ValueOf<"name">) =>
  db.select({ turn: sql`pg_advisory_xact_lock(hashtextextended(${value("name")}, 0))` }).from(oneRow),
);

/** Decides for each call in turn whether people are asked. All that it reads is read at once. */
export async function createAdmission(
  session: Session,
  proposal: Proposal,
  reader?: EvidenceReader,
): Promise<(call: ProposedCall & { callHash: string }) => Promise<Admission>> {
  if (!proposal.calls.some(asksPeople)) return async () => ({ kind: "as_judged" });
  const { limits } = proposal;
  const asking = proposal.calls.filter(asksPeople);
  const [waiting, discouraged, twins, grants] = await together([
    limits && waitingCounts(session, proposal),
    limits && isDiscouraged(session, proposal, limits.denialsInARow),
    together(asking.map((call) => waitingTwin(session, proposal, hashOf(proposal, call)))),
    together(asking.map((call) => findGrants(session, proposal, call))),
  ]);
  const found = new Map(
    asking.map(({ id }, index) => [id, { twin: twins[index], grants: grants[index] ?? [] }]),
  );
  const admitted = new Map<string, string>();
  const grantsUsed: UsedGrant[] = [];
  return async (call) => {
    const its = found.get(call.id);
    if (!its) return { kind: "as_judged" };
    const duplicateOf = admitted.get(call.callHash) ?? its.twin;
    if (duplicateOf) return { kind: "refused", cause: "duplicate_call", duplicateOf };
    const use = await useGrant(session, proposal, call, its.grants, grantsUsed, reader);
    if (use.grant) {
      grantsUsed.push(use.grant);
      return { kind: "granted", grant: use.grant };
    }
    if (discouraged) return { kind: "refused", cause: "too_many_denials", duplicateOf: null };
    const more = admitted.size;
    const full =
      limits &&
      waiting &&
      (waiting.run + more >= limits.pendingPerRun ||
        waiting.thread + more >= limits.pendingPerThread ||
        waiting.requester + more >= limits.pendingPerRequester ||
        waiting.tenant + more >= limits.pendingPerTenant);
    if (full) return { kind: "refused", cause: "too_many_pending", duplicateOf: null };
    admitted.set(call.callHash, call.id);
    return { kind: "as_judged", ...(use.overBudget && { overBudget: use.overBudget }) };
  };
}

/** Pending calls of a tenant. A call that was never announced counts until its timeout. */
function isWaiting({ now }: Session, tenantId: Placeholder): SQL | undefined {
  return and(
    eq(approvals.tenantId, tenantId),
    hasStatus("proposed", "pending"),
    sql`coalesce(${approvals.expiresAt}, ${approvals.createdAt} + ${approvals.timeoutMs} * interval '1 millisecond') > ${now}`,
  );
}

async function waitingCounts(session: Session, proposal: Proposal) {
  const { tenantId, runId, threadId, requesterId } = proposal;
  const [found] = await countingWaiting(session, { tenantId, runId, threadId, requesterId });
  const counts = found ?? { tenant: 0, run: 0, thread: 0, requester: 0 };
  return { ...counts, thread: counts.thread + (await withdrawnByProgram(session, proposal)) };
}

const countingWaiting = builtOnce(
  (session, value: ValueOf<"tenantId" | "runId" | "threadId" | "requesterId">) => {
    const countOf = (column: PgColumn, id: Placeholder) =>
      sql<number>`count(*) filter (where ${column} = ${id}::text)`.mapWith(Number);
    return session.db
      .select({
        tenant: count(),
        run: countOf(approvals.runId, value("runId")),
        thread: countOf(approvals.threadId, value("threadId")),
        requester: countOf(approvals.requesterId, value("requesterId")),
      })
      .from(approvals)
      .where(isWaiting(session, value("tenantId")));
  },
);

/**
 * Counts the calls that a program withdrew recently. Otherwise it could notify people without limit, by withdrawing
 * calls and asking again.
 */
async function withdrawnByProgram({ db, now }: Session, proposal: Proposal): Promise<number> {
  const { tenantId, threadId } = proposal;
  if (threadId === null || !isOfProgram(proposal)) return 0;
  const [found] = await db
    .select({ calls: count() })
    .from(approvals)
    .where(
      and(
        eq(approvals.tenantId, tenantId),
        eq(approvals.threadId, threadId),
        hasStatus("withdrawn"),
        eq(approvals.withdrawalCause, "run_cancelled"),
        isNotNull(approvals.announcedAt),
        sql`${approvals.finishedAt} > ${now} - ${programMemoryMinutes} * interval '1 minute'`,
      ),
    );
  return found?.calls ?? 0;
}

function isOfProgram({ calls }: Proposal): boolean {
  return calls.some(({ toolVersion }) => toolVersion === externalToolVersion);
}

/** The same call pending in the same thread, or in the same run for the same requester if there is no thread. */
async function waitingTwin(
  session: Session,
  { tenantId, threadId, runId, requesterId }: Proposal,
  hash: string,
): Promise<string | undefined> {
  if (threadId === null && runId === null) return undefined;
  const find = threadId === null ? twinInRun : twinInThread;
  const [twin] = await find(session, { tenantId, threadId, runId, requesterId, hash });
  return twin?.id;
}

const twinInThread = findingTwin((value) => eq(approvals.threadId, value("threadId")));

const twinInRun = findingTwin((value) =>
  and(
    isNull(approvals.threadId),
    eq(approvals.runId, value("runId")),
    sql`${approvals.requesterId} is not distinct from ${value("requesterId")}::text`,
  ),
);

type OfTwin = ValueOf<"tenantId" | "threadId" | "runId" | "requesterId" | "hash">;

function findingTwin(place: (value: OfTwin) => SQL | undefined) {
  return builtOnce((session, value: OfTwin) =>
    session.db
      .select({ id: approvals.id })
      .from(approvals)
      .where(and(isWaiting(session, value("tenantId")), place(value), eq(approvals.callHash, value("hash"))))
      .orderBy(approvals.createdAt, approvals.id)
      .limit(1),
  );
}

/** True if people denied the last `denialsInARow` calls of a run or, within the last hour, of a program. */
async function isDiscouraged(session: Session, proposal: Proposal, denialsInARow: number): Promise<boolean> {
  const { tenantId, runId, threadId } = proposal;
  if (runId === null && (threadId === null || !isOfProgram(proposal))) return false;
  const read = runId === null ? decisionsOfProgram : decisionsOfRun;
  const last = await read(session, { tenantId, runId, threadId, denialsInARow });
  return last.length === denialsInARow && last.every(({ type }) => type === "deny");
}

const decisionsOfRun = readingDecisions((_, value) => eq(approvals.runId, value("runId")));

const decisionsOfProgram = readingDecisions(({ now }, value) =>
  and(
    eq(approvals.threadId, value("threadId")),
    sql`${approvals.decidedAt} > ${now} - ${programMemoryMinutes} * interval '1 minute'`,
  ),
);

type OfAsker = ValueOf<"tenantId" | "runId" | "threadId" | "denialsInARow">;

function readingDecisions(asker: (session: Session, value: OfAsker) => SQL | undefined) {
  return builtOnce((session, value: OfAsker) =>
    session.db
      .select({ type: approvals.decisionType })
      .from(approvals)
      .where(
        and(
          eq(approvals.tenantId, value("tenantId")),
          asker(session, value),
          isNotNull(approvals.decidedBy),
          isNull(approvals.grantId),
        ),
      )
      .orderBy(desc(approvals.decidedAt), desc(approvals.id))
      .limit(value("denialsInARow")),
  );
}
