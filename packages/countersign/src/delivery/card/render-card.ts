import { overBudgetText } from "@countersign/policy/internal/display/budget-text";
import { codePreviewText } from "@countersign/policy/internal/display/code-preview-text";
import { summaryText } from "@countersign/policy/internal/display/summary-part";
import { visibleText } from "@countersign/policy/internal/display/visible-text";
import { deceptiveText } from "@countersign/policy/internal/redaction/deceptive-text";
import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import type { Approval } from "../../approval/approval.js";
import { approvalDigest } from "../../approval/approval-digest.js";
import { callSummary } from "../../approval/call-summary.js";
import { countApprovals, votesTo } from "../../approval/quorum.js";
import { shown } from "../../approval/visible-arguments.js";
import type { Card, CardCheck } from "../../channel/channel.js";
import type { ReadForCard } from "../../store/ports/delivery-port.js";
import { cardEffects } from "./card-effects.js";
import { cardFields } from "./card-fields.js";
import { cardOutcome } from "./card-outcome.js";
import { escalatedTo, listed, namesOn, whoDecides } from "./card-people.js";
import { cardUndo, cardUndoes } from "./card-undo.js";
import { isDeceptive, warningOf } from "./card-warnings.js";

const maxName = 120;
const maxReason = 500;
const maxCheck = 400;

/** Where a card is shown. */
export interface CardPlace {
  /** The channel's name. */
  channel: string;
  /** The address of the inbox, without a slash at its end. */
  inboxUrl: string | null;
}

/** What a channel shows of an approval: its current state, without what its rules hide. */
export function renderCard(
  { approval, undo, version, now, names }: ReadForCard,
  { channel, inboxUrl }: CardPlace,
): Card {
  const { terms, status, requesterId, assigneeId } = approval;
  const nameOf = namesOn(approval, names, undo);
  const { input, editedInput, preview, counts } = shown(approval, { sink: "channel" });
  const { fields, hidden, cut } = cardFields(editedInput ?? input, terms);
  const { flags, flagsTruncated } = deceptiveText(
    { toolName: approval.toolName, input, editedInput, effects: approval.edited ? null : preview?.effects },
    terms.summaryParts,
  );
  const consequences = cardEffects(preview, approval.edited);
  // An edit may have replaced the amounts.
  const counted = approval.edited ? [] : counts;
  const missing = [
    ...(hidden.length > 0 || consequences.hidden || counted.some((count) => count.hidden)
      ? ["some values are hidden"]
      : []),
    ...(cut ? ["some values are too long"] : []),
    ...(consequences.cut ? ["some effects do not fit"] : []),
    ...(flagsTruncated || flags.some(isDeceptive) ? ["some texts could mislead you"] : []),
  ];
  const undoable = cardUndo({ approval, undo, now }, { channel, isWhole: missing.length === 0 });
  const may = status === "pending" && terms.decideIn.includes(channel) ? terms.decisions : [];
  return {
    approvalId: approval.id,
    requestId: approval.requestId,
    tenantId: approval.tenantId,
    threadId: approval.threadId,
    version,
    status,
    open: isOpen(status),
    verdict: approval.verdict,
    summary: summaryText(callSummary(approval).current.parts),
    label: terms.label === null ? null : visibleText(terms.label, maxName),
    toolName: visibleText(approval.toolName, maxName),
    agentName: visibleText(approval.agentName ?? "", maxName),
    risk: approval.risk,
    requester: requesterId === null ? null : visibleText(requesterId, maxName),
    requesterName: requesterId === null ? null : nameOf(requesterId),
    approvers: approval.approvers,
    whoDecides: whoDecides(approval, nameOf),
    escalatedTo: escalatedTo(approval),
    assignee: assigneeId,
    assigneeName: assigneeId === null ? null : nameOf(assigneeId),
    assigneeIsDelegate: terms.delegable && assigneeId !== null,
    reasons: reasonsOf(approval).map((reason) => visibleText(reason, maxReason)),
    fields,
    hiddenFields: hidden,
    // It is about the proposed script, which an edit may have replaced.
    codePreview: approval.edited ? null : codePreviewText(terms.codePreview),
    warnings: [...flags.map(warningOf), ...(flagsTruncated ? ["There are more warnings than shown"] : [])],
    checks: [false, true].flatMap((passed) => checksOf(approval, passed)),
    effects: consequences.effects,
    reversible: undoable === null ? consequences.reversible : null,
    noPreview: consequences.noPreview,
    counts: counted.map(({ text }) => text),
    undo: undoable,
    undoes: cardUndoes(approval, nameOf),
    // As in the inbox, the digest is computed from the values on the card. If the row is changed and restored before
    // the decision, the card's digest no longer matches.
    digest: isOpen(status) ? approvalDigest(approval) : approval.digest,
    expiresAt: approval.expiresAt,
    quorum: { required: terms.quorum, approved: approvedBy(approval) },
    outcome: cardOutcome(approval, nameOf, undo),
    url: inboxUrl === null ? null : addressOf(approval, inboxUrl),
    decisions: may.filter(
      (type): type is "approve" | "deny" => type === "deny" || (type === "approve" && missing.length === 0),
    ),
    notWhole: may.includes("approve") && missing.length > 0 ? listed(missing, "and") : null,
  };
}

function reasonsOf({ terms, reason, overBudget }: Approval): string[] {
  const named = terms.reasons.flatMap((rule) => rule.reason ?? []);
  const reasons = named.length > 0 || reason === null ? named : [reason];
  return overBudget === null ? reasons : [...reasons, overBudgetText(overBudget)];
}

function checksOf({ terms }: Approval, passed: boolean): CardCheck[] {
  return terms.checks
    .filter(({ ok }) => ok === passed)
    .map(({ name, ok, message }) => ({
      ok,
      text: visibleText(message === null ? name : `${name}: ${message}`, maxCheck),
    }));
}

function approvedBy({ terms, approvers, votes, decision }: Approval): number {
  const approves = decision?.type === "approve" || decision?.type === "edit";
  if (approves) return terms.quorum;
  return countApprovals(terms, approvers.roles, votesTo("approve", votes));
}

/** The inbox shows an approval here whatever its state, so links in old messages stay valid. */
function addressOf({ id }: Approval, inboxUrl: string): string {
  return `${inboxUrl}/approvals/${encodeURIComponent(id)}`;
}
