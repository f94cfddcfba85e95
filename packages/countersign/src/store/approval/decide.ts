import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { approvalDigest } from "../../approval/approval-digest.js";
import { severalDecide } from "../../approval/quorum.js";
import { mayDecide, mustLeaveToOthers } from "../../approval/who-decides.js";
import type { Delegator } from "../../evidence/evidence-claims.js";
import { inboxPlace } from "../../policy/rules/rule.js";
import { storableText } from "../../shared/storable-text.js";
import { coveringStop } from "../../stops/stop.js";
import { actedAs, audit } from "../audit/audit.js";
import { builtOnce, type ValueOf, valueFor } from "../built-once.js";
import type { Session, Transaction } from "../database.js";
import { openUntil, type ProvenDecision, writeEvidence } from "../evidence/evidence.js";
import type { Sealer } from "../evidence/sealing.js";
import { giveGrant, isSameGrant } from "../grant/give-grant.js";
import type { DecideInput, DecideResult } from "../ports/approval-port.js";
import { countEdited } from "../request/counted-calls.js";
import type { LockedRequest } from "../request/lock-request.js";
import { expiredFirst, lockApproval } from "../request/locked-approval.js";
import { takeTurn } from "../request/proposal-limits.js";
import { wakeUpComplete, wakeUpIfComplete } from "../request/wake-up.js";
import { withdrawChanged } from "../request/withdraw.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { hasStatus } from "../rows/has-status.js";
import { noteName } from "../rows/known-names.js";
import { withPeople, withViewers } from "../rows/read-approval.js";
import { approvals } from "../schema.js";
import { readStopsOver } from "../stop/stops.js";
import { decidesFor } from "./delegation.js";
import { vote } from "./vote.js";

const statusAfter = { approve: "approved", edit: "approved", deny: "denied", respond: "responded" } as const;

/** Records one person's decision: authorisation, compare-and-swap, audit entry and outbox row together. */
export async function decide(
  session: Transaction,
  input: DecideInput,
  sealer?: Sealer,
): Promise<DecideResult> {
  const { principal } = input;
  const starts = input.type === "approve" || input.type === "edit";
  if (input.edited?.isCounted) await takeTurn(session, principal.tenantId);
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
  if (!approval.terms.decideIn.includes(input.place ?? inboxPlace)) {
    return { outcome: "wrong_place", approval };
  }
  const engaged =
    starts && locked.mayBeStopped && !hasVotedFor(approval, principal.id)
      ? await readStopsOver(session, principal.tenantId)
      : [];
  const stop = coveringStop(engaged, approval);
  if (stop) return { outcome: "stopped", approval, stop };
  if (approvalDigest(approval) !== approval.digest) return endChanged(session, request, approval);
  if (approval.digest !== input.digest) return { outcome: "digest_mismatch", approval };
  if (!approval.terms.decisions.includes(input.type)) return { outcome: "not_allowed", approval };
  if ((input.type === "edit") !== (input.edited !== undefined)) return { outcome: "not_allowed", approval };
  if (input.type !== "deny" && mustLeaveToOthers(approval, principal.id)) {
    return { outcome: "self_approval", approval };
  }
  const onBehalfOf = await decidesFor(session, approval, principal, sealer);
  if (onBehalfOf === undefined) return { outcome: "forbidden", approval };

  noteName(session, approval, principal);
  const { type } = input;
  const decided: Decided = { input, onBehalfOf, voteId: undefined, completes: !locked.hasOpenSiblings };
  if ((type === "approve" || type === "deny") && severalDecide(approval.terms)) {
    const voted = await vote(session, approval, { ...input, type, onBehalfOf }, sealer);
    decided.voteId = voted.voteId;
    if (voted.outcome === "late") return expiredFirst(session, request, approval);
    if (!voted.decisive) {
      return voted.outcome === "repeated"
        ? { outcome: "repeated", approval: await withViewers(session, voted.approval), wakeUp: undefined }
        : { outcome: "voted", approval: await withViewers(session, voted.approval) };
    }
  }
  return record(session, request, approval, decided, sealer);
}

/** Ends a call whose row was tampered with: it cannot start any more, so nobody should wait for it. */
async function endChanged(
  session: Transaction,
  request: LockedRequest,
  approval: Approval,
): Promise<DecideResult> {
  const withdrawn = await withdrawChanged(session, approval.id);
  const wakeUp = await wakeUpIfComplete(session, request);
  return { outcome: "digest_changed", approval: withdrawn ?? approval, wakeUp };
}

/** A decision that is about to be recorded. */
interface Decided {
  input: DecideInput;
  onBehalfOf: Delegator | null;
  /** Names the deciding vote, if several people decide. */
  voteId: string | undefined;
  /** No other call of the request is open. */
  completes: boolean;
}

const written = [
  "status",
  "responseJson",
  "editedInputJson",
  "editedDigest",
  "decisionType",
  "decidedBy",
  "decidedRoles",
  "decisionReason",
] as const;

const compareAndSwap = builtOnce(
  (session, value: ValueOf<"requestId" | "approvalId" | "tenantId" | "digest" | (typeof written)[number]>) =>
    session.db
      .update(approvals)
      .set({
        ...Object.fromEntries(written.map((name) => [name, valueFor(approvals[name], value(name))])),
        decidedAt: session.now,
      })
      .where(
        and(
          eq(approvals.id, value("approvalId")),
          eq(approvals.tenantId, value("tenantId")),
          hasStatus("pending"),
          eq(approvals.digest, value("digest")),
          sql`${approvals.expiresAt} > ${session.now}`,
        ),
      )
      .returning({ ...getTableColumns(approvals), openUntil: openUntil(session, value("requestId")) }),
);

/** Records the decision, if it is the first. */
async function record(
  session: Transaction,
  request: LockedRequest,
  approval: Approval,
  { input, onBehalfOf, voteId, completes }: Decided,
  sealer: Sealer | undefined,
): Promise<DecideResult> {
  const { principal } = input;
  const [updated] = await compareAndSwap(session, {
    ...{ requestId: request.id, approvalId: input.approvalId, tenantId: principal.tenantId },
    digest: input.digest,
    status: statusAfter[input.type],
    responseJson: input.responseJson ?? null,
    editedInputJson: input.edited?.inputJson ?? null,
    editedDigest: input.edited?.digest ?? null,
    decisionType: input.type,
    decidedBy: principal.id,
    decidedRoles: principal.roles,
    decisionReason: input.reason,
  });
  if (!updated) return expiredFirst(session, request, approval);
  const { openUntil: until, ...row } = updated;
  const decided = approvalFromRow(row);
  if (input.edited) countEdited(session, decided);
  const decidedAt = row.decidedAt ?? new Date();
  const wakeUp = completes ? wakeUpComplete(session, request) : undefined;
  const signed =
    sealer &&
    (await writeEvidence(session, { ...decided, decidedAt }, madeBy(input, onBehalfOf), sealer, until));
  audit(session, {
    tenantId: row.tenantId,
    approvalId: row.id,
    type: input.type === "edit" ? "approval.edited" : `approval.${statusAfter[input.type]}`,
    notify: row.notify,
    actorId: principal.id,
    data: {
      digest: row.digest,
      ...actedAs(principal),
      ...(input.edited ? { editedDigest: input.edited.digest } : {}),
      ...(onBehalfOf === null ? {} : { onBehalfOf: onBehalfOf.id }),
      ...(voteId === undefined ? {} : { voteId }),
      ...signed?.entry,
    },
    ...(row.announcedAt && row.decidedAt
      ? { waitedMs: row.decidedAt.getTime() - row.announcedAt.getTime() }
      : {}),
  });
  if (input.grant) await giveGrant(session, approval, principal, input.grant, sealer);
  const [shown] = await withPeople(session, [signed ? { ...row, decidedAt: signed.decidedAt } : row]);
  return { outcome: "decided", approval: shown ?? decided, wakeUp };
}

function madeBy(
  { type, principal, reason, responseJson }: DecideInput,
  onBehalfOf: Delegator | null,
): ProvenDecision {
  return {
    type,
    principalId: principal.id,
    roles: principal.roles,
    onBehalfOf,
    grantId: null,
    origin: "runtime-ui-confirm",
    via: principal.authenticatedBy === undefined ? null : storableText(principal.authenticatedBy),
    reason,
    responseJson: responseJson ?? null,
  };
}

/** Repeating one's own identical decision is a no-op: a client may resend it if its response got lost. */
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

/** A repeated vote changes nothing, even if a stop was engaged since. */
function hasVotedFor({ votes }: Approval, principalId: string): boolean {
  return votes.some((vote) => vote.principalId === principalId && vote.type === "approve");
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
