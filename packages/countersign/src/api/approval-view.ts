import { type DecisionType, inboxPlace } from "@countersign/policy/internal/policy/rules/rule";
import { withNumbers } from "@countersign/policy/internal/policy/summary-numbers";
import { deceptiveText } from "@countersign/policy/internal/redaction/deceptive-text";
import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import { pick } from "@countersign/policy/internal/shared/pick";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../approval/approval.js";
import { approvalDigest } from "../approval/approval-digest.js";
import { callSummary } from "../approval/call-summary.js";
import { mayStandFor } from "../approval/grant.js";
import { listsOf } from "../approval/lists-of.js";
import { stillNeeded } from "../approval/quorum.js";
import { resultSummaryOf } from "../approval/result-summary.js";
import { snoozedUntil } from "../approval/snooze.js";
import { reversibleOf, undoMs, undoUntil } from "../approval/undo-window.js";
import { type ShownArguments, shown } from "../approval/visible-arguments.js";
import { mayDecide, mustLeaveToOthers } from "../approval/who-decides.js";
import { grantSuggestions } from "../grants/grant-suggestions.js";
import { coveringStop, type Stop } from "../stops/stop.js";
import { type ApprovalView, shownTerms } from "./contract/approval-schemas.js";

const shownTermNames = Object.keys(shownTerms) as (keyof typeof shownTerms)[];

/** How an approval is shown. */
export interface ViewOptions {
  seesEverything: boolean;
  stops: readonly Stop[];
  /** Leave out the arguments, the result and what is derived from them. @default false */
  omitValues?: boolean;
}

/**
 * An approval as the API returns it. Dates are ISO 8601 in UTC. Values that the rules redact are hidden, also in
 * edited arguments, unless the reader may see everything. The digest still covers them.
 */
export function approvalView(
  approval: Approval,
  reader: Principal,
  { seesEverything, stops, omitValues = false }: ViewOptions,
): ApprovalView {
  const { decision } = approval;
  // An edit that is held says what will run, unless it is taken back.
  const call = { ...approval, edited: approval.edited ?? approval.held?.edited ?? null };
  const inbox = { sink: "inbox", seesEverything } as const;
  // A log's reader is shown no values.
  const values = shown(call, omitValues ? { sink: "log" } : inbox);
  const { input, editedInput, response, outcome, counts, hidden } = values;
  // The effects are those of the arguments that the edit replaces.
  const preview = call.edited ? null : values.preview;
  const { flags, flagsTruncated } = deceptive(
    omitValues ? shown({ ...call, responseJson: null, outcomeJson: null }, inbox) : values,
    call,
  );
  const { current, proposed, valuesJson } = callSummary(call);
  const result = omitValues ? null : resultSummaryOf(approval, { input, editedInput, outcome });
  // Nobody can approve what a list does not show.
  const offered = decisionsOf(approval, reader);
  const own = omitValues ? offered.filter((type) => type === "deny") : offered;
  const lists = listsOf(approval, reader);
  return {
    id: approval.id,
    requestId: approval.requestId,
    threadId: approval.threadId,
    runId: approval.runId,
    agentName: approval.agentName,
    mcpServer: approval.policyContext.mcp?.server ?? null,
    requesterId: approval.requesterId,
    toolCallId: approval.toolCallId,
    toolName: approval.toolName,
    input,
    inputSchema:
      omitValues || approval.inputSchemaJson === null ? null : JSON.parse(approval.inputSchemaJson),
    valuesOmitted: omitValues,
    flags: omitValues ? [] : flags,
    flagsTruncated: !omitValues && flagsTruncated,
    flagCount: flags.length,
    redacted: hidden.redact,
    redactedPatterns: hidden.redactPatterns,
    digest: omitValues ? approval.digest : shownDigest(approval),
    nonce: seesEverything ? approval.nonce : null,
    status: approval.status,
    lists,
    verdict: approval.verdict,
    summary: current.text,
    summaryParts: withNumbers(current.parts, () => JSON.parse(valuesJson)),
    proposedSummaryParts: proposed && withNumbers(proposed.parts, () => JSON.parse(approval.inputJson)),
    resultSummary: result?.text ?? null,
    resultSummaryParts: result?.parts ?? [],
    ...pick(approval.terms, shownTermNames),
    risk: approval.risk,
    reason: approval.reason,
    yourDecisions: own,
    mayDecide: offered.length > 0,
    stop: stopOf(approval, stops),
    votes: approval.votes.map(({ principalId, type, onBehalfOf, roles, reason, votedAt }) => ({
      principalId,
      type,
      onBehalfOf,
      roles,
      reason,
      votedAt: votedAt.toISOString(),
    })),
    stillNeeded: stillNeeded(approval),
    assigneeId: approval.assigneeId,
    viewers: approval.viewers.map(({ until, ...viewer }) => ({ ...viewer, until: until.toISOString() })),
    snoozedUntil: lists.includes("snoozed") ? (snoozedUntil(approval, reader)?.toISOString() ?? null) : null,
    extensionsUsed: approval.extensionsUsed,
    extensionsLeft: Math.max(0, approval.terms.extensions - approval.extensionsUsed),
    editedInput: approval.edited ? editedInput : null,
    codePreview: omitValues ? null : approval.terms.codePreview,
    checks: approval.terms.checks.map((check) => (omitValues ? { ...check, message: null } : check)),
    preview,
    counts,
    grantSuggestions:
      own.includes("approve") && mayStandFor(approval, reader) ? grantSuggestions(approval) : [],
    grantId: approval.grantId,
    overBudget: omitValues ? null : approval.overBudget,
    duplicateOf: approval.duplicateOf,
    approvers: approval.approvers,
    policyVersion: approval.policyVersion,
    createdAt: approval.createdAt.toISOString(),
    announcedAt: approval.announcedAt?.toISOString() ?? null,
    expiresAt: approval.expiresAt?.toISOString() ?? null,
    decision: decision && {
      type: decision.type,
      decidedBy: decision.decidedBy,
      reason: decision.reason,
      decidedAt: decision.decidedAt.toISOString(),
    },
    held: heldOf(approval, editedInput),
    maxHoldMs: approval.runId === null ? 0 : approval.terms.holdMs,
    response,
    outcome,
    /** The kind of handler that was interrupted. It decides whether the call may run again. */
    handlerKind: approval.status === "interrupted" ? approval.handlerKind : null,
    resolution: approval.resolution && {
      ...approval.resolution,
      resolvedAt: approval.resolution.resolvedAt.toISOString(),
    },
    withdrawalCause: approval.withdrawalCause,
    undo: undoOf(approval, reader),
    undoes: approval.terms.undoes?.approvalId ?? null,
    undoRequest: undoRequestOf(approval),
    startedAt: approval.startedAt?.toISOString() ?? null,
    finishedAt: approval.finishedAt?.toISOString() ?? null,
  };
}

/** What the reader of these values could misread. */
function deceptive(
  { input, editedInput, preview }: Pick<ShownArguments, "input" | "editedInput" | "preview">,
  { toolName, terms, edited }: Pick<Approval, "toolName" | "terms" | "edited">,
) {
  const effects = edited ? undefined : preview?.effects;
  return deceptiveText({ toolName, input, editedInput, effects }, terms.summaryParts);
}

function heldOf({ held }: Approval, editedInput: unknown): ApprovalView["held"] {
  if (!held) return null;
  const { type, decidedBy, reason, decidedAt, until } = held;
  return {
    ...{ type, decidedBy, reason, editedInput },
    decidedAt: decidedAt.toISOString(),
    until: until.toISOString(),
  };
}

/** Whether and until when people may undo the call. The time is not compared here: a view may be older than it. */
function undoOf(approval: Approval, reader: Principal): ApprovalView["undo"] {
  const { terms, undoId, undoneAt } = approval;
  const reversible = reversibleOf(terms);
  if (undoMs(terms) === 0) return null;
  const until = undoUntil(approval);
  const isRight = mayDecide(approval, reader) && !mustLeaveToOthers(approval, reader.id);
  return {
    within: typeof reversible === "string" ? reversible : null,
    until: until?.toISOString() ?? null,
    mayUndo: until !== undefined && isRight && terms.decideIn.includes(inboxPlace),
    undoId,
    undoneAt: undoneAt?.toISOString() ?? null,
  };
}

/** Who asked for an undo, and why: those who approve it judge the wish, not only the call. */
function undoRequestOf({ terms }: Approval): ApprovalView["undoRequest"] {
  const { undoes } = terms;
  return undoes && { askedBy: undoes.askedBy, reason: undoes.reason };
}

/** The stop that prevents the call from being approved or started. */
function stopOf(approval: Approval, stops: readonly Stop[]): ApprovalView["stop"] {
  if (!["proposed", "pending", "approved"].includes(approval.status)) return null;
  const stop = coveringStop(stops, approval);
  if (!stop) return null;
  const { id, tool, reason, engagedBy, engagedAt } = stop;
  return { id, tool, reason, engagedBy, engagedAt: engagedAt.toISOString() };
}

/**
 * While the approval is open, computes the digest of the values shown here. If a row is tampered with and restored
 * before the decision, the reader was shown a digest that no longer matches.
 */
function shownDigest(approval: Approval): string {
  return isOpen(approval.status) ? approvalDigest(approval) : approval.digest;
}

/** The decision types that this reader may use now. */
function decisionsOf(approval: Approval, reader: Principal): DecisionType[] {
  if (approval.status !== "pending" || approval.held || !mayDecide(approval, reader)) return [];
  if (!approval.terms.decideIn.includes(inboxPlace)) return [];
  const own = mustLeaveToOthers(approval, reader.id);
  return approval.terms.decisions.filter((type) => !own || type === "deny");
}
