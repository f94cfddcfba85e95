import { inboxPlace } from "@countersign/policy/internal/policy/rules/rule";
import type { Approval } from "../../approval/approval.js";
import { approvalDigest } from "../../approval/approval-digest.js";
import { mayDecide, mustLeaveToOthers } from "../../approval/who-decides.js";
import type { Stop } from "../../stops/stop.js";
import type { DecideInput, DecideResult } from "../ports/approval-port.js";
import { lostTo } from "./open-call.js";

/** A decision, and the call that it is about. */
export interface DecisionToCheck {
  approval: Approval;
  input: DecideInput;
  /** The engaged stop that covers the call, if there is one. */
  stop: Stop | undefined;
  /** Whether the decision that was recorded gave the grant that this one would give. */
  gaveSameGrant: boolean;
}

type Refusal = Exclude<DecideResult, { outcome: "decided" | "voted" | "not_found" }>;

type DecisionRefusal = (decision: DecisionToCheck) => Refusal | undefined;

/**
 * Why a decision is not recorded. The first that applies is the answer, so the order is a promise: who may not decide
 * learns nothing else, whoever comes too late learns who decided and not that a stop was engaged since, and a row that was
 * changed in the database is reported before a person's digest is blamed.
 */
export const decisionRefusals = [
  forbidden,
  notAnnounced,
  expired,
  decidedAlready,
  wrongPlace,
  stopped,
  changedInDatabase,
  changedSinceShown,
  typeNotAllowed,
  selfApproval,
  unchecked,
] as const satisfies readonly DecisionRefusal[];

/** The first of {@link decisionRefusals} that applies. */
export function refuseDecision(decision: DecisionToCheck): Refusal | undefined {
  for (const refusal of decisionRefusals) {
    const refused = refusal(decision);
    if (refused) return refused;
  }
  return undefined;
}

function forbidden({ approval, input }: DecisionToCheck): Refusal | undefined {
  return mayDecide(approval, input.principal) ? undefined : { outcome: "forbidden", approval };
}

function notAnnounced({ approval }: DecisionToCheck): Refusal | undefined {
  return approval.status === "proposed" ? { outcome: "not_open", approval } : undefined;
}

function expired({ approval }: DecisionToCheck): Refusal | undefined {
  return approval.status === "expired" ? { outcome: "expired", approval, wakeUp: undefined } : undefined;
}

/** Somebody has decided, or the call was withdrawn. Repeating one's own decision or vote changes nothing. */
function decidedAlready({ approval, input, gaveSameGrant }: DecisionToCheck): Refusal | undefined {
  if (approval.status === "pending" && !approval.held) return undefined;
  const repeats = isSameDecision(approval, input) || isSameVote(approval, input);
  const isSame = repeats && (input.type !== "approve" || gaveSameGrant);
  return { outcome: isSame ? "repeated" : lostTo(approval), approval, wakeUp: undefined };
}

function wrongPlace({ approval, input }: DecisionToCheck): Refusal | undefined {
  const isPlace = approval.terms.decideIn.includes(input.place ?? inboxPlace);
  return isPlace ? undefined : { outcome: "wrong_place", approval };
}

/** A stop keeps calls from starting. A call may still be denied or answered, and a repeated vote changes nothing. */
function stopped({ approval, input, stop }: DecisionToCheck): Refusal | undefined {
  const starts = input.type === "approve" || input.type === "edit";
  if (!starts || hasVotedFor(approval, input.principal.id)) return undefined;
  return stop && { outcome: "stopped", approval, stop };
}

function changedInDatabase({ approval }: DecisionToCheck): Refusal | undefined {
  const isIntact = approvalDigest(approval) === approval.digest;
  return isIntact ? undefined : { outcome: "digest_changed", approval, wakeUp: undefined };
}

function changedSinceShown({ approval, input }: DecisionToCheck): Refusal | undefined {
  return approval.digest === input.digest ? undefined : { outcome: "digest_mismatch", approval };
}

function typeNotAllowed({ approval, input }: DecisionToCheck): Refusal | undefined {
  const isComplete = (input.type === "edit") === (input.edited !== undefined);
  const isAllowed = isComplete && approval.terms.decisions.includes(input.type);
  return isAllowed ? undefined : { outcome: "decision_not_allowed", approval };
}

/** Whoever asked for a call may deny it, even if its rule wants somebody else to approve it. */
function selfApproval({ approval, input }: DecisionToCheck): Refusal | undefined {
  const isOwn = input.type !== "deny" && mustLeaveToOthers(approval, input.principal.id);
  return isOwn ? { outcome: "self_approval", approval } : undefined;
}

/** The call was decided when the arguments should have been checked, and the decision was taken back since. */
function unchecked({ approval, input }: DecisionToCheck): Refusal | undefined {
  return input.repeatsOnly ? { outcome: "not_open", approval } : undefined;
}

/** Repeating one's own identical decision is a no-op: a client may resend it if its response got lost. */
function isSameDecision(approval: Approval, input: DecideInput): boolean {
  const { held, digest } = approval;
  const decision = held ?? approval.decision;
  const { edited, responseJson } = held ?? approval;
  return (
    decision !== null &&
    decision.decidedBy === input.principal.id &&
    decision.type === input.type &&
    decision.reason === input.reason &&
    responseJson === (input.responseJson ?? null) &&
    (edited?.digest ?? null) === (input.edited?.digest ?? null) &&
    digest === input.digest
  );
}

/** Repeating one's own vote after others made it the decision. */
function isSameVote({ votes, held, decision, digest }: Approval, input: DecideInput): boolean {
  return (
    (held ?? decision)?.type === input.type &&
    digest === input.digest &&
    votes.some((vote) => vote.principalId === input.principal.id && vote.type === input.type)
  );
}

function hasVotedFor({ votes }: Approval, principalId: string): boolean {
  return votes.some((vote) => vote.principalId === principalId && vote.type === "approve");
}
