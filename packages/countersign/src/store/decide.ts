import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Approval } from "../approval/approval.js";
import { severalDecide } from "../approval/quorum.js";
import { mayDecide } from "../approval/who-decides.js";
import type { EvidenceSigner } from "../evidence/evidence-signer.js";
import { approvalFromRow } from "./approval-row.js";
import { actedAs, audit } from "./audit.js";
import { type Session, type Transaction, together } from "./database.js";
import { proofTimes, writeEvidence } from "./evidence.js";
import { giveGrant, isSameGrant } from "./give-grant.js";
import { lockApproval, ranOut } from "./locked-approval.js";
import { withPeople, withViewers } from "./read-approval.js";
import { type LockedRequest, wakeUpIfComplete } from "./request.js";
import { approvals } from "./schema.js";
import type { DecideInput, DecideResult } from "./store.js";
import { vote } from "./vote.js";

const statusAfter = { approve: "approved", edit: "approved", deny: "denied", respond: "responded" } as const;

/** One person's decision: authorisation, compare-and-swap, audit entry and outbox row together. */
export async function decide(
  session: Transaction,
  input: DecideInput,
  signer?: EvidenceSigner,
): Promise<DecideResult> {
  const { principal } = input;
  const locked = await lockApproval(session, principal, input.approvalId);
  if (!locked) return { outcome: "not_found" };
  const { request, approval } = locked;
  if (!mayDecide(approval, principal)) return { outcome: "forbidden", approval };
  if (approval.status === "proposed") return { outcome: "not_open", approval };
  if (approval.status === "expired") return { outcome: "expired", approval, wakeUp: undefined };
  if (approval.status !== "pending") {
    const repeats = isSameDecision(approval, input) || isSameVote(approval, input);
    const same =
      repeats && (input.type !== "approve" || (await isSameGrant(session, approval.id, input.grant)));
    const outcome = same ? "repeated" : "lost";
    return { outcome, approval, wakeUp: undefined };
  }
  if (approval.digest !== input.digest) return { outcome: "digest_mismatch", approval };
  if (!approval.terms.decisions.includes(input.type)) return { outcome: "not_allowed", approval };
  if ((input.type === "edit") !== (input.edited !== undefined)) return { outcome: "not_allowed", approval };
  const own = approval.requesterId === principal.id;
  if (own && input.type !== "deny" && approval.terms.requesterMayNotApprove) {
    return { outcome: "self_approval", approval };
  }

  const { type } = input;
  if ((type === "approve" || type === "deny") && severalDecide(approval.terms)) {
    const voted = await vote(session, approval, { ...input, type });
    if (voted.outcome === "late") return ranOut(session, request, approval);
    if (!voted.decisive) {
      return voted.outcome === "repeated"
        ? { outcome: "repeated", approval: await withViewers(session, voted.approval), wakeUp: undefined }
        : { outcome: "voted", approval: await withViewers(session, voted.approval) };
    }
  }
  return record(session, request, approval, input, signer);
}

/** The compare-and-swap itself. */
async function record(
  session: Transaction,
  request: LockedRequest,
  approval: Approval,
  input: DecideInput,
  signer: EvidenceSigner | undefined,
): Promise<DecideResult> {
  const { db, now } = session;
  const { principal } = input;
  const [updated] = await db
    .update(approvals)
    .set({
      status: statusAfter[input.type],
      responseJson: input.responseJson ?? null,
      editedInputJson: input.edited?.inputJson ?? null,
      editedDigest: input.edited?.digest ?? null,
      decisionType: input.type,
      decidedBy: principal.id,
      decisionReason: input.reason,
      decidedAt: now,
    })
    .where(
      and(
        eq(approvals.id, input.approvalId),
        eq(approvals.tenantId, principal.tenantId),
        eq(approvals.status, "pending"),
        eq(approvals.digest, input.digest),
        sql`${approvals.expiresAt} > ${now}`,
      ),
    )
    .returning({ ...getTableColumns(approvals), ...proofTimes(session, request.id) });
  if (!updated) return ranOut(session, request, approval);
  const { provenAt, openUntil, ...row } = updated;
  const decided = approvalFromRow(row);
  const made = { type: input.type, principalId: principal.id, origin: "runtime-ui-confirm" } as const;
  const [wakeUp, proof] = await together([
    wakeUpIfComplete(session, request),
    signer && writeEvidence(session, decided, made, signer, { provenAt, openUntil }),
  ]);
  audit(session, {
    tenantId: row.tenantId,
    approvalId: row.id,
    type: input.type === "edit" ? "approval.edited" : `approval.${statusAfter[input.type]}`,
    actorId: principal.id,
    data: {
      digest: row.digest,
      ...actedAs(principal),
      ...(input.edited ? { editedDigest: input.edited.digest } : {}),
      ...proof,
    },
    ...(row.announcedAt && row.decidedAt
      ? { waitedMs: row.decidedAt.getTime() - row.announcedAt.getTime() }
      : {}),
  });
  if (input.grant) await giveGrant(session, approval, principal, input.grant);
  const [shown] = await withPeople(session, [row]);
  return { outcome: "decided", approval: shown ?? decided, wakeUp };
}

/** Repeating one's own decision, word for word, is a no-op: a client whose answer got lost may ask again. */
function isSameDecision(approval: Approval, input: DecideInput): boolean {
  const { decision } = approval;
  return (
    decision !== null &&
    decision.decidedBy === input.principal.id &&
    decision.type === input.type &&
    decision.reason === input.reason &&
    approval.responseJson === (input.responseJson ?? null) &&
    (approval.edited?.digest ?? null) === (input.edited?.digest ?? null) &&
    approval.digest === input.digest
  );
}

/** Repeating one's own vote after others made it the decision. */
function isSameVote({ votes, decision, digest }: Approval, input: DecideInput): boolean {
  return (
    decision?.type === input.type &&
    digest === input.digest &&
    votes.some((vote) => vote.principalId === input.principal.id && vote.type === input.type)
  );
}

export async function readReplacement(
  { db }: Session,
  approvalId: string,
): Promise<{ responseJson: string | null; editedInputJson: string | null }> {
  const [row] = await db
    .select({ responseJson: approvals.responseJson, editedInputJson: approvals.editedInputJson })
    .from(approvals)
    .where(eq(approvals.id, approvalId));
  return row ?? { responseJson: null, editedInputJson: null };
}
