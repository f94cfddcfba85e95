import { randomBytes } from "node:crypto";
import type { Approval } from "../../approval/approval.js";
import {
  approvalMissing,
  deniedByPolicy,
  type Refusal,
  refusalFor,
  refusalWithoutDecision,
} from "../../approval/refusal.js";
import { hidingFor } from "../../approval/visible-arguments.js";
import type { WithdrawalCause } from "../../display/withdrawal-text.js";
import { GrantConditions } from "../../grants/grant-conditions.js";
import type { Policy } from "../../policy/policy.js";
import { crashPoint } from "../../shared/crash-point.js";
import type { Stop } from "../../stops/stop.js";
import { isProposedBy, type Proposer } from "../../store/request/new-approval.js";
import type { ProposedCall } from "../../store/request/request-port.js";
import { refusalUnderStop } from "../execution/stopped-call.js";
import type { Runtime } from "../runtime.js";
import type { ProposedCard } from "../streaming/stream-events.js";
import { redactedText } from "./model-text.js";
import { type ProposedOutcome, type ProposeInput, reviewCall } from "./review-call.js";

/**
 * Checks every call of a response against its tool's schema and the policy, and writes all but the plainly allowed ones
 * in one transaction. Runs inside a step: its verdicts hold for the whole run.
 */
export async function propose(runtime: Runtime, input: ProposeInput): Promise<ProposedOutcome[]> {
  const { requestId, subject } = input;
  const proposer: Proposer = {
    requestId,
    runId: input.runId,
    agentName: input.agentName,
    tenantId: subject.tenantId,
    threadId: subject.threadId,
    requesterId: subject.requester?.id ?? null,
  };
  const checking: Promise<ProposedCall>[] = [];
  const outcomes: ProposedOutcome[] = [];
  // A retried step may run under another policy. What its first attempt wrote stays as it is.
  const known = await runtime.store.approvalsOf(requestId);
  const stops = known.length < input.calls.length ? await runtime.store.engagedStops() : [];
  for (const call of input.calls) {
    const earlier = known.find(({ position }) => position === call.position);
    const stopped = earlier ? undefined : await refusalOf(runtime, input, call.tool.name, stops);
    if (stopped) {
      outcomes.push({ kind: "refused", refusal: stopped });
      continue;
    }
    const policy = earlier ? policyOf(runtime, earlier.policyVersion) : runtime.policy;
    // The first attempt evaluated the shadow policy already.
    const reviewer = earlier ? { ...runtime, shadowPolicy: undefined } : runtime;
    outcomes.push(
      policy
        ? await reviewCall({ ...reviewer, policy }, input, { ...call, earlier }, checking)
        : { kind: "refused", refusal: approvalMissing(call.tool.name) },
    );
  }
  const proposed = await Promise.all(checking);
  let written = known;
  if (known.length === 0 && proposed.length > 0) {
    const conditions = new GrantConditions();
    written = await runtime.store.propose(
      {
        ...proposer,
        appId: runtime.appId,
        requesterName: subject.requesterName,
        wakeUpToken: randomBytes(24).toString("base64url"),
        parentRunId: input.parentRunId,
        modelText: redactedText(input.modelText, proposed, runtime.redactPatterns),
        calls: proposed,
        limits: runtime.limits,
        meetsCondition: (...grant) => conditions.hold(...grant),
      },
      runtime.signer,
    );
  }
  const foreign = foreignRow(runtime, written, proposer, proposed);
  if (foreign) await runtime.store.withdrawRequest(requestId, foreign);
  for (const approval of written) {
    outcomes[approval.position] = foreign
      ? { kind: "refused", refusal: withdrawn(approval, foreign) }
      : outcomeOf(runtime, approval, input);
  }
  // An earlier attempt of this step may have written the calls and died before it sent the events. Sending them again
  // is safe, because Inngest ignores an event whose id it has received.
  const unasked = written.filter(({ position }) => outcomes[position]?.kind === "approved");
  if (unasked.length > 0) crashPoint("before-notified-event");
  await runtime.sendNotified(unasked);
  return outcomes;
}

/**
 * Why the rows of a request cannot be trusted: one of them is not a call that this run proposes. Either somebody wrote
 * or changed it before the run recorded its digest, or it was proposed under a policy that this process no longer has.
 */
function foreignRow(
  runtime: Runtime,
  rows: readonly Approval[],
  proposer: Proposer,
  calls: readonly ProposedCall[],
): WithdrawalCause | undefined {
  const foreign = rows.find((row) => {
    const call = calls.find(({ position }) => position === row.position);
    return !call || !isProposedBy(proposer, call, row);
  });
  if (!foreign) return undefined;
  return policyOf(runtime, foreign.policyVersion) ? "digest_changed" : "policy_changed";
}

/** The policy of that version, if this process still has it. */
function policyOf({ policy }: Runtime, version: string): Policy | undefined {
  return policy.version === version ? policy : policy.at?.(version);
}

function withdrawn(approval: Approval, withdrawalCause: WithdrawalCause): Refusal {
  return (
    refusalFor({ ...approval, status: "withdrawn", withdrawalCause }) ?? approvalMissing(approval.toolName)
  );
}

/** The outcome of a call whose row this run has just proposed. A decision, if there is one, is read later. */
function outcomeOf(
  { signer }: Runtime,
  approval: Approval,
  { streamed }: Pick<ProposeInput, "streamed">,
): ProposedOutcome {
  const { id: approvalId, verdict, reason, digest, createdAt } = approval;
  if (verdict === "deny")
    return { kind: "refused", refusal: deniedByPolicy(approval.toolName, reason, approvalId) };
  const refusal = refusalWithoutDecision(approval);
  if (refusal) return { kind: "refused", refusal };
  const proposed = { digest, at: createdAt.getTime(), signed: signer !== undefined };
  if (runsUnasked(approval)) return { kind: "approved", approvalId, proposed };
  return { kind: "waits", approvalId, proposed, ...(streamed && { card: cardOf(approval) }) };
}

function cardOf(approval: Approval): ProposedCard {
  const { risk, reason, createdAt, timeoutMs, terms } = approval;
  return {
    risk,
    reason,
    expiresAt: new Date(createdAt.getTime() + timeoutMs).toISOString(),
    ...hidingFor(terms, { sink: "channel" }),
  };
}

/** Approved without asking: by the policy or by a grant. */
function runsUnasked({ verdict, grantId }: Approval): boolean {
  return verdict === "notify" || grantId !== null;
}

function refusalOf(
  runtime: Runtime,
  { subject, runId }: ProposeInput,
  toolName: string,
  engaged: readonly Stop[],
) {
  return refusalUnderStop(runtime, { tenantId: subject.tenantId, toolName, runId }, engaged);
}
