import type { Card, CardCheck, CardField, CardVote, Delivery, DeliveryEvent } from "countersign/types";

/** What an endpoint receives. Texts are plain, and redaction applies to them. */
export interface WebhookPayload {
  /** What happened. */
  type: DeliveryEvent;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The approval when the message was sent, which may be later than the event. */
  data: WebhookApproval;
}

/** An approval in a webhook. Dates are in ISO 8601. */
export interface WebhookApproval {
  approvalId: string;
  requestId: string;
  threadId: string | null;
  tenantId: string;
  /** Grows with every change: ignore what is older than what you have. */
  version: number;
  status: Card["status"];
  /** What the rules call such a call, such as "Refund"; `null` if they do not. */
  label: string | null;
  toolName: string;
  agentName: string;
  risk: Card["risk"];
  /** The sentence that says what the call does. */
  summary: string;
  /** Required in a decision through the API. */
  digest: string;
  quorum: { required: number; approved: number };
  expiresAt: string | null;
  /** The outcome, or the decisions so far. `votes` has the decision of each person. */
  outcome: {
    text: string;
    decidedBy: string | null;
    votes: readonly CardVote[];
    reason: string | null;
    at: string;
  } | null;
  /** Where the inbox shows it. */
  url: string | null;
  /**
   * How long after it ran people may undo the call, such as "10m" (`null` for at any time), until when, the latest call that
   * undoes it, and when it was undone. `null` if nobody can undo it.
   */
  undo: {
    within: string | null;
    until: string | null;
    undoId: string | null;
    undoneAt: string | null;
  } | null;
  /** The id of the call that this one undoes. */
  undoes: string | null;
  /** Only for endpoints with `arguments: true`. */
  arguments?: readonly CardField[];
  /** Paths of values that redaction hides. Only for endpoints with `arguments: true`. */
  hiddenFields?: readonly string[];
  /** The tools that a script appears to call, in one line. Only for endpoints with `arguments: true`. */
  codePreview?: string | null;
  /** Warnings about texts that may mislead. Only for endpoints with `arguments: true`. */
  warnings?: readonly string[];
  /** The safety checks when the call was proposed. Only for endpoints with `arguments: true`. */
  checks?: readonly CardCheck[];
  /** What the call would change, one line each, as on a card. Only for endpoints with `arguments: true`. */
  effects?: readonly string[];
  /** Whether the call can be taken back, as a sentence. Only for endpoints with `arguments: true`. */
  reversible?: string | null;
  /** Why the effects are unknown although the tool has a preview. Only for endpoints with `arguments: true`. */
  noPreview?: string | null;
  /** What limits over time counted, one line each, as on a card. Only for endpoints with `arguments: true`. */
  counts?: readonly string[];
}

/** The payload of a delivery. */
export function webhookPayload(
  { event, occurredAt, card }: Delivery,
  { withArguments }: { withArguments: boolean },
): WebhookPayload {
  const { fields, hiddenFields, codePreview, warnings, checks, outcome, expiresAt } = card;
  const { effects, reversible, noPreview, counts, undo, undoes } = card;
  return {
    type: event,
    timestamp: occurredAt.toISOString(),
    data: {
      approvalId: card.approvalId,
      requestId: card.requestId,
      threadId: card.threadId,
      tenantId: card.tenantId,
      version: card.version,
      status: card.status,
      label: card.label,
      toolName: card.toolName,
      agentName: card.agentName,
      risk: card.risk,
      summary: card.summary,
      digest: card.digest,
      quorum: card.quorum,
      expiresAt: expiresAt?.toISOString() ?? null,
      outcome: outcome && {
        text: outcome.text,
        decidedBy: outcome.decidedBy,
        votes: outcome.votes,
        reason: outcome.reason,
        at: outcome.at.toISOString(),
      },
      url: card.url,
      undo: undo && {
        within: undo.within,
        until: undo.until?.toISOString() ?? null,
        undoId: undo.undoId,
        undoneAt: undo.undoneAt?.toISOString() ?? null,
      },
      undoes: undoes?.approvalId ?? null,
      ...(withArguments && { arguments: fields, hiddenFields, codePreview, warnings, checks }),
      ...(withArguments && { effects, reversible, noPreview, counts }),
    },
  };
}
