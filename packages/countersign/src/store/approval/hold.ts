import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { actedAs, audit } from "../audit/audit.js";
import type { Transaction } from "../database.js";
import { timeOfDecision } from "../evidence/decision-time.js";
import { openUntil, type ProvenDecision, sealEvidence } from "../evidence/evidence.js";
import type { Sealer } from "../evidence/sealing.js";
import { standingType, trailOf } from "../evidence/trail.js";
import type { DecideResult, TakeBackInput, TakeBackResult } from "../ports/approval-port.js";
import type { StoredHold } from "../ports/stored-hold.js";
import { countAnew } from "../request/counted-calls.js";
import { expireNow } from "../request/expire-overdue.js";
import type { LockedRequest } from "../request/lock-request.js";
import { expiredFirst, lockApproval, lostTo } from "../request/locked-approval.js";
import { takeTurn } from "../request/proposal-limits.js";
import { wakeUpIfComplete } from "../request/wake-up.js";
import { noHold } from "../request/withdraw-changed.js";
import { hasStatus } from "../rows/has-status.js";
import { readApproval, withPeople } from "../rows/read-approval.js";
import { approvals, votes } from "../schema.js";
import { judgingIn } from "../verb.js";
import { type Deciding, entryOf, madeBy } from "./deciding.js";
import { endSnoozes } from "./snooze.js";

/**
 * How long after the end of the time a decision may take effect, in milliseconds: at the latest, the relay finds it. Evidence
 * must be valid for as long.
 */
const latestMs = 120_000;

/**
 * Records a decision that takes effect after a time, in which its person may take it back. The run is woken now, to look
 * again at the end of that time. Whatever proves the decision is signed now, while its person is there.
 */
export async function hold(
  session: Transaction,
  request: LockedRequest,
  approval: Approval,
  { holdMs, ...deciding }: Deciding & { holdMs: number },
  sealer: Sealer | undefined,
): Promise<DecideResult> {
  const { db, now } = session;
  const { type, principal, reason, responseJson = null, edited = null } = deciding.input;
  const time = await timeOfDecision(session, approval);
  const made = { ...approval, edited, decidedAt: new Date(time.decidedAt) };
  const heldUntil = new Date(time.now + holdMs);
  const signed = sealer && (await sealed(session, made, { ...madeBy(deciding), heldUntil }, sealer));
  const { decidedAt } = signed ?? made;
  const entry = { ...entryOf(deciding, approval), ...signed?.entry };
  const stored: StoredHold = {
    type,
    reason,
    responseJson,
    edited,
    round: request.rounds,
    decidedBy: principal.id,
    roles: principal.roles,
    decidedAt: decidedAt.toISOString(),
    evidence: signed
      ? {
          ...signed.row,
          createdAt: signed.row.createdAt.toISOString(),
          expiresAt: signed.row.expiresAt.toISOString(),
        }
      : null,
  };
  const [row] = await db
    .update(approvals)
    .set({ held: stored, heldUntil })
    .where(
      and(
        eq(approvals.id, approval.id),
        hasStatus("pending"),
        isNull(approvals.heldUntil),
        eq(approvals.digest, deciding.input.digest),
        gt(approvals.expiresAt, now),
      ),
    )
    .returning();
  if (!row) return expiredFirst(session, request, approval);
  if (edited) countAnew(session, approval, edited.inputJson);
  audit(session, {
    tenantId: row.tenantId,
    approvalId: row.id,
    type: "approval.held",
    actorId: principal.id,
    data: { type, ...entry, until: row.heldUntil?.toISOString() },
  });
  const [shown] = await withPeople(session, [row]);
  const wakeUp = { requestId: request.id };
  return { outcome: "decided", approval: shown ?? approval, wakeUp };
}

async function sealed(
  session: Transaction,
  approval: Approval & { decidedAt: Date },
  decision: ProvenDecision & { heldUntil: Date },
  sealer: Sealer,
) {
  const [open] = await session.db
    .select({ until: openUntil(session, approval.requestId) })
    .from(sql`(select 1) as one`);
  const until = String(Math.max(Number(open?.until ?? 0), decision.heldUntil.getTime() + latestMs));
  return sealEvidence(approval, decision, sealer, until);
}

/**
 * Takes back what a person has decided: a decision as long as it is held, or their vote as long as the call is undecided.
 * The call then waits again.
 */
export async function takeBack(
  session: Transaction,
  { approvalId, principal }: TakeBackInput,
): Promise<TakeBackResult> {
  const { tenantId, id: personId } = principal;
  const seen = await readApproval(session, tenantId, approvalId);
  // Counting an edited call as proposed again needs the tenant's turn, which comes before all other locks.
  if (seen && seen.terms.countedIn.length > 0) await takeTurn(session, tenantId);
  const locked = await lockApproval(session, principal, approvalId);
  if (!locked) return { outcome: "not_found" };
  const { approval, request } = locked;
  const { held, status, decision } = approval;
  if (status === "proposed") return { outcome: "not_open", approval };
  if (status !== "pending" && !decision)
    return { outcome: status === "expired" ? "expired" : lostTo(approval), approval, wakeUp: undefined };
  if (status !== "pending") {
    const isOwn =
      decision?.decidedBy === personId || approval.votes.some((vote) => vote.principalId === personId);
    return { outcome: isOwn ? "too_late" : "forbidden", approval };
  }
  if (held && held.decidedBy !== personId) return { outcome: "forbidden", approval };
  if (held && !(await release(session, approval))) return { outcome: "too_late", approval };
  const { db } = session;
  const votesBack = await db
    .update(votes)
    .set({ takenBackAt: session.now, reason: null, token: null })
    .where(
      and(
        eq(votes.tenantId, tenantId),
        eq(votes.approvalId, approvalId),
        eq(votes.principalId, personId),
        isNull(votes.takenBackAt),
      ),
    )
    .returning({ type: votes.type });
  // Somebody may have hidden it from the row. What the log has as taken back stays so, whatever happens to the row.
  const type =
    held?.type ??
    votesBack[0]?.type ??
    standingType(await trailOf(session, approval), storableText(personId));
  // Repeated because a response got lost, or nothing was decided: either way the call waits.
  if (type === undefined) return { outcome: "taken_back", approval, wakeUp: undefined };
  // Who takes a decision back looks at the call now.
  endSnoozes(session, approval, personId);
  audit(session, {
    tenantId,
    approvalId,
    type: "approval.taken_back",
    // Messages of channels show votes, and nothing of a decision that is held.
    notify: votesBack.length > 0 ? approval.notify : [],
    actorId: personId,
    data: { type, digest: approval.digest, ...actedAs(principal) },
  });
  await expireNow(judgingIn(session), approval.requestId);
  const wakeUp = await wakeUpIfComplete(session, request);
  const now = await readApproval(session, tenantId, approvalId);
  return { outcome: "taken_back", approval: now ?? approval, wakeUp };
}

/** Removes the decision that is held, if its time is not over. */
async function release(session: Transaction, approval: Approval): Promise<boolean> {
  const { db, now } = session;
  const released = await db
    .update(approvals)
    .set(noHold)
    .where(and(eq(approvals.id, approval.id), hasStatus("pending"), gt(approvals.heldUntil, now)))
    .returning({ id: approvals.id });
  if (released.length > 0 && approval.held?.type === "edit") countAnew(session, approval, approval.inputJson);
  return released.length > 0;
}
