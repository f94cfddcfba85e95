import { and, asc, eq, inArray, notExists, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { maxExtensionMs } from "../../approval/extension.js";
import { isOpen } from "../../approval/status.js";
import { dayMs, maxTimeoutMs } from "../../shared/duration.js";
import { applyEscalation, msToNextStep, type Timed } from "../approval/escalation.js";
import { noteName } from "../approval/known-names.js";
import { audit } from "../audit/audit.js";
import { type Session, type Transaction, together } from "../database.js";
import { openUntil, type ProvenDecision, type WrittenEvidence, writeEvidence } from "../evidence/evidence.js";
import type { Sealer } from "../evidence/sealing.js";
import type { UsedGrant } from "../grant/use-grant.js";
import { approvalFromRow } from "../reading/approval-row.js";
import { approvals, outbox, requests } from "../schema.js";
import type { Store } from "../store.js";
import { newApproval } from "./new-approval.js";
import { type Admission, asksPeople, createAdmission, takeTurn } from "./proposal-limits.js";
import type { Proposal, ProposedCall, RequestProgress, Settlement, WakeUp } from "./request-port.js";

const openStatuses = ["proposed", "pending"] as const;

/** Seconds after which an unanswered wake-up is sent again. */
const firstRetrySeconds = 5;

export type LockedRequest = typeof requests.$inferSelect;

/**
 * Locks the request's row. It serialises decisions about calls of one request: two that commit at once would otherwise
 * each see the other's call still open, and neither would wake the run.
 */
export async function lockRequest({ db }: Session, requestId: string): Promise<LockedRequest | undefined> {
  const [row] = await db.select().from(requests).where(eq(requests.id, requestId)).for("update");
  return row;
}

/** The same for the request of a tenant's approval, which never changes. */
export async function lockRequestOf(
  { db }: Session,
  tenantId: string,
  approvalId: string,
): Promise<LockedRequest | undefined> {
  const its = db
    .select({ id: approvals.requestId })
    .from(approvals)
    .where(and(eq(approvals.id, approvalId), eq(approvals.tenantId, tenantId)));
  const [row] = await db.select().from(requests).where(eq(requests.id, its)).for("update");
  return row;
}

/** Writes the outbox row once no call of the request is open, and returns the wake-up. Needs the lock. */
export async function wakeUpIfComplete(
  session: Session,
  request: LockedRequest,
): Promise<WakeUp | undefined> {
  // A call that the host saved itself has no run of ours to wake.
  if (request.settledAt || request.runId === null) return undefined;
  const { db, now } = session;
  const open = db
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(eq(approvals.requestId, request.id), inArray(approvals.status, openStatuses)));
  const complete = db
    .select({
      requestId: requests.id,
      tenantId: requests.tenantId,
      createdAt: sql<Date>`${now}`.as("created_at"),
      attempts: sql<number>`0`.as("attempts"),
      nextAttemptAt: sql<Date>`${now} + ${firstRetrySeconds} * interval '1 second'`.as("next_attempt_at"),
    })
    .from(requests)
    .where(and(eq(requests.id, request.id), notExists(open)));
  const [written] = await db
    .insert(outbox)
    .select(complete)
    // Changes nothing, but also returns the row of an earlier, unanswered wake-up.
    .onConflictDoUpdate({ target: outbox.requestId, set: { requestId: sql`excluded.request_id` } })
    .returning({ requestId: outbox.requestId });
  return written && { requestId: request.id, token: request.wakeUpToken };
}

export async function approvalsOf({ db }: Session, requestId: string): Promise<Approval[]> {
  const rows = await db
    .select()
    .from(approvals)
    .where(eq(approvals.requestId, requestId))
    .orderBy(asc(approvals.position));
  return rows.map((row) => approvalFromRow(row));
}

export async function readRequest(session: Session, requestId: string): ReturnType<Store["readRequest"]> {
  const [request] = await session.db.select().from(requests).where(eq(requests.id, requestId));
  if (!request) return undefined;
  const calls = await approvalsOf(session, requestId);
  const waiting = calls.filter((call) => call.status === "proposed" || call.status === "pending");
  return {
    wakeUpToken: request.wakeUpToken,
    runId: request.runId,
    timeoutMs: Math.min(...waiting.map(firstDeadline), maxTimeoutMs + dayMs),
  };
}

export async function readModelText(
  { db }: Session,
  tenantId: string,
  requestId: string,
): Promise<string | null> {
  const [request] = await db
    .select({ modelText: requests.modelText })
    .from(requests)
    .where(and(eq(requests.id, requestId), eq(requests.tenantId, tenantId)));
  return request?.modelText ?? null;
}

/** Milliseconds until an undecided call's first reminder or escalation, or its expiry. */
function firstDeadline({ timeoutMs, terms }: Approval): number {
  return Math.min(timeoutMs, ...terms.escalation.map(({ afterMs }) => afterMs));
}

/** The status of a new call by verdict: some are pending, the policy has decided the others. */
const decidedByPolicy = {
  ask: { status: "proposed", auditType: "approval.proposed", decisionType: undefined },
  manual: { status: "proposed", auditType: "approval.proposed", decisionType: undefined },
  notify: { status: "approved", auditType: "approval.notified", decisionType: "approve" },
  deny: { status: "denied", auditType: "approval.denied_by_policy", decisionType: "deny" },
} as const;

export async function propose(
  session: Transaction,
  proposal: Proposal,
  sealer?: Sealer,
): Promise<Approval[]> {
  const { db, now } = session;
  if (proposal.calls.some(asksPeople)) await takeTurn(session, proposal.tenantId);
  const inserted = await db
    .insert(requests)
    .values({
      id: proposal.requestId,
      tenantId: proposal.tenantId,
      threadId: proposal.threadId,
      runId: proposal.runId,
      appId: proposal.appId,
      parentRunId: proposal.parentRunId ?? null,
      wakeUpToken: proposal.wakeUpToken,
      modelText: proposal.modelText ?? null,
      createdAt: now,
    })
    .onConflictDoNothing()
    .returning({ id: requests.id });
  // A retried step proposes the same request again. What its first attempt wrote stays as it is.
  if (inserted.length === 0) return approvalsOf(session, proposal.requestId);
  const admit = await createAdmission(session, proposal, sealer);
  const beginnings = [];
  for (const proposed of proposal.calls) {
    const call = newApproval(proposal, proposed);
    const admission = await admit({ ...proposed, callHash: call.callHash });
    const { set, ...entry } = beginning(session, proposed, admission);
    beginnings.push({ call, entry, admission });
    await db.insert(approvals).values({ ...call, createdAt: now, ...set });
    if (proposal.requesterId !== null)
      await noteName(session, call, { id: proposal.requesterId, displayName: proposal.requesterName });
  }
  // The lifetime of evidence depends on all calls of the request.
  const madeBy = proposal.agentName === null ? {} : { agentName: proposal.agentName };
  for (const { call, entry, admission } of beginnings) {
    const signed =
      sealer && admission.kind === "granted"
        ? await signGranted(session, call, admission.grant, sealer)
        : undefined;
    const { toolName, digest, policyVersion } = call;
    audit(session, {
      tenantId: proposal.tenantId,
      approvalId: call.id,
      type: entry.auditType,
      notify: call.notify ?? [],
      actorId: entry.actorId ?? proposal.requesterId,
      data: { toolName, digest, policyVersion, ...madeBy, ...entry.data, ...signed?.entry },
    });
  }
  return approvalsOf(session, proposal.requestId);
}

async function signGranted(
  session: Session,
  call: ReturnType<typeof newApproval>,
  grant: UsedGrant,
  sealer: Sealer,
): Promise<WrittenEvidence> {
  const [row] = await session.db
    .select({ decidedAt: approvals.decidedAt, openUntil: openUntil(session, call.requestId) })
    .from(approvals)
    .where(eq(approvals.id, call.id));
  if (!row?.decidedAt) throw new Error("unreachable: the decision was just written");
  const decided = { ...call, edited: null, decidedAt: row.decidedAt };
  return writeEvidence(session, decided, grantedDecision(grant), sealer, row.openUntil);
}

/** Stands in the place of a person's reason. */
const grantedReason = "Approved by a grant";

/** A grant approves under the contract that its grantor has reviewed. */
function grantedDecision({ id, grantedBy, grantedRoles }: UsedGrant): ProvenDecision {
  return {
    type: "approve",
    principalId: grantedBy,
    roles: grantedRoles,
    onBehalfOf: null,
    grantId: id,
    origin: "operator-contract-review",
    via: null,
    reason: grantedReason,
    responseJson: null,
  };
}

/** The first status of a new call, and its audit entry. */
function beginning({ now }: Session, { verdict, reason }: ProposedCall, admission: Admission) {
  if (admission.kind === "granted") {
    const { id: grantId, grantedBy, grantedRoles } = admission.grant;
    return {
      set: {
        status: "approved" as const,
        decisionType: "approve" as const,
        decidedBy: grantedBy,
        decidedRoles: grantedRoles,
        decisionReason: grantedReason,
        decidedAt: now,
        grantId,
      },
      auditType: "approval.granted" as const,
      actorId: grantedBy,
      data: { grantId },
    };
  }
  if (admission.kind === "refused") {
    const { cause, duplicateOf } = admission;
    return {
      set: { status: "withdrawn" as const, withdrawalCause: cause, duplicateOf, finishedAt: now },
      auditType: "approval.withdrawn" as const,
      data: { cause, ...(duplicateOf === null ? {} : { duplicateOf }) },
    };
  }
  const { status, auditType, decisionType } = decidedByPolicy[verdict];
  const decided = decisionType ? { decisionType, decisionReason: reason, decidedAt: now } : {};
  return { set: { status, ...decided }, auditType };
}

export async function announce(session: Transaction, requestId: string): Promise<Approval[]> {
  const request = await lockRequest(session, requestId);
  const { db, now } = session;
  const announced = await db
    .update(approvals)
    .set({
      status: "pending",
      announcedAt: now,
      expiresAt: sql`${now} + ${approvals.timeoutMs} * interval '1 millisecond'`,
    })
    .where(and(eq(approvals.requestId, requestId), eq(approvals.status, "proposed")))
    .returning();
  for (const row of announced) {
    const { tenantId, id: approvalId, notify } = row;
    const data = { proofUntil: lastDeadline(approvalFromRow(row))?.toISOString() ?? null };
    const sentByRun = row.awaitedEventId === null;
    audit(session, { tenantId, approvalId, type: "approval.announced", notify, data, sentByRun });
  }
  if (request) await beginRound(session, request, 0);
  return approvalsOf(session, requestId);
}

/** When a call expires if its time is extended as often and by as much as its rule allows. */
function lastDeadline({ expiresAt, timeoutMs, terms }: Approval): Date | undefined {
  return expiresAt
    ? new Date(expiresAt.getTime() + terms.extensions * maxExtensionMs({ timeoutMs }))
    : undefined;
}

/**
 * Starts a new wait round. A decision before this round may have sent its wake-up while no run was waiting, so the
 * wake-up is queued again. Idempotent.
 */
async function beginRound(session: Transaction, request: LockedRequest, round: number): Promise<void> {
  if (round < request.rounds) return;
  await together([
    session.db
      .update(requests)
      .set({ rounds: round + 1, settledAt: null })
      .where(eq(requests.id, request.id)),
    wakeUpIfComplete(session, { ...request, settledAt: null }),
  ]);
}

/** `round`: the round the caller waited in. If a later round has begun, the request is not settled yet. */
export async function settle(
  session: Transaction,
  requestId: string,
  round = Number.POSITIVE_INFINITY,
): Promise<Settlement> {
  const request = await lockRequest(session, requestId);
  const [expired, seen] = await together([expireOverdue(session, requestId), progressOf(session, requestId)]);
  // Calls that just expired are still open in the progress read beside them.
  const progress = expired > 0 ? await progressOf(session, requestId) : seen;
  if (progress.open > 0) return { ...progress, settled: false };
  if (!request || request.settledAt) return { ...progress, settled: true };
  if (request.rounds > round + 1) return { ...progress, settled: false };
  const { db, now } = session;
  await together([
    db.update(requests).set({ settledAt: now }).where(eq(requests.id, requestId)),
    db.delete(outbox).where(eq(outbox.requestId, requestId)),
  ]);
  return { ...progress, settled: true };
}

export async function peek(session: Transaction, requestId: string, round: number): Promise<RequestProgress> {
  const request = await lockRequest(session, requestId);
  await expireOverdue(session, requestId);
  await applyEscalation(session, await timedApprovals(session, requestId));
  if (request) {
    await wakeUpIfComplete(session, request);
    await beginRound(session, request, round);
  }
  return progressOf(session, requestId);
}

async function progressOf(session: Session, requestId: string): Promise<RequestProgress> {
  const timed = await timedApprovals(session, requestId);
  const open = timed.filter(({ approval }) => isOpen(approval.status));
  return {
    approvals: timed.map(({ approval }) => approval),
    open: open.length,
    nextDeadlineMs: open.length === 0 ? 0 : Math.max(0, Math.ceil(Math.min(...open.map(msToNextStep)))),
  };
}

async function timedApprovals({ db, now }: Session, requestId: string): Promise<Timed[]> {
  const rows = await db
    .select({
      row: approvals,
      msOpen: sql<string | null>`extract(epoch from ${now} - ${approvals.announcedAt}) * 1000`,
      msLeft: sql<string | null>`extract(epoch from ${approvals.expiresAt} - ${now}) * 1000`,
    })
    .from(approvals)
    .where(eq(approvals.requestId, requestId))
    .orderBy(asc(approvals.position));
  return rows.map(({ row, msOpen, msLeft }) => ({
    approval: approvalFromRow(row),
    msOpen: Number(msOpen ?? 0),
    msLeft: Number(msLeft ?? 0),
  }));
}

/** `pending → expired` for the overdue calls of one request. */
export async function expireOverdue(session: Transaction, requestId: string): Promise<number> {
  const { db, now } = session;
  const expired = await db
    .update(approvals)
    .set({ status: "expired", finishedAt: now })
    .where(
      and(
        eq(approvals.requestId, requestId),
        eq(approvals.status, "pending"),
        sql`${approvals.expiresAt} <= ${now}`,
      ),
    )
    .returning({ approvalId: approvals.id, tenantId: approvals.tenantId, notify: approvals.notify });
  for (const row of expired) audit(session, { ...row, type: "approval.expired" });
  return expired.length;
}
