import type { DecisionType, Risk, VerdictKind } from "@countersign/policy/internal/policy/rules/rule";
import type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";

/** The events of an approval that channels can report. */
export const deliveryEvents = [
  "approval.pending",
  "approval.reminded",
  "approval.escalated",
  "approval.assigned",
  "approval.voted",
  "approval.extended",
  "approval.decided",
  "approval.expired",
  "approval.withdrawn",
  "approval.started",
  "approval.finished",
  "approval.undone",
] as const;
export type DeliveryEvent = (typeof deliveryEvents)[number];

/** One argument of a call as plain text, every hidden or deceptive character made visible. */
export interface CardField {
  /** The path of the argument, such as `customer.email`. */
  name: string;
  /** What the rules call it, such as "Email". Show it in place of the path. Absent if they call it nothing. */
  label?: string;
  text: string;
}

/** The result of a safety check when the call was proposed, as plain text. */
export interface CardCheck {
  ok: boolean;
  /** The name, with the check's message if it has one: "balance: 12.50 EUR are left". */
  text: string;
}

/** One person's decision about a call. */
export interface CardVote {
  id: string;
  /** The person's name as plain text, or the id if it is unknown. */
  name: string;
  type: DecisionType;
}

/** The outcome of a call, or the decisions so far, as plain text. */
export interface CardOutcome {
  /** "Approved by Ada and Bob", "Expired before anyone decided". */
  text: string;
  /** The id of the person whose decision ended the call. */
  decidedBy: string | null;
  /** The names of all people whose decisions ended the call: "Ada and Bob". */
  by: string | null;
  /** The decisions of all people, in their order. */
  votes: readonly CardVote[];
  reason: string | null;
  at: Date;
}

/** Whether and until when people may undo a call. */
export interface CardUndo {
  /** For how long, as a sentence: "It can be undone for 10 minutes after it ran." */
  text: string;
  /** The same as the rules say it, such as "10m"; `null` for at any time. */
  within: string | null;
  /** Until when people may ask for the undo; `null` before the call has run, and if there is no limit. */
  until: Date | null;
  /** Whether people may ask for the undo now, wherever the rules let them decide. */
  possible: boolean;
  /**
   * Whether this channel may offer the undo. Only if the rule's `decideIn` names the channel and the card shows the whole
   * call. A channel that shows less than the card must not offer it.
   */
  offered: boolean;
  /** The latest call that undoes this one, whatever became of it. */
  undoId: string | null;
  undoneAt: Date | null;
}

/** The call that another one undoes. */
export interface CardUndoes {
  approvalId: string;
  /** A sentence: "Undoes the request apr_1 (book). Ada asked for it". */
  text: string;
}

/**
 * An approval in the form in which a channel shows it. It is rendered from the row for each delivery and never stored.
 * All texts are plain.
 */
export interface Card {
  approvalId: string;
  requestId: string;
  tenantId: string;
  threadId: string | null;
  /** Grows with every change, so a channel never replaces a newer card with an older one. */
  version: number;
  status: ApprovalStatus;
  /** Whether a decision is still possible. */
  open: boolean;
  /** What the policy says about the call: nobody is asked about one with `notify`. */
  verdict: Exclude<VerdictKind, "allow">;
  /** The sentence that says what the call does. */
  summary: string;
  /** What the rules call such a call, such as "Refund"; `null` if they do not. */
  label: string | null;
  toolName: string;
  agentName: string;
  risk: Risk;
  /** The requester's id. */
  requester: string | null;
  /** The requester's name as plain text, or the id if it is unknown. */
  requesterName: string | null;
  /** Who may decide. Both lists empty: every principal of the tenant. */
  approvers: { roles: readonly string[]; ids: readonly string[] };
  /** Who may decide, in words: "finance, lead or Ada", roles before people. */
  whoDecides: string;
  /** To whom the latest escalation gave the call, in words: "lead". `null` without one. */
  escalatedTo: string | null;
  /** The id of the person to whom the call is assigned. */
  assignee: string | null;
  /** The name of that person as plain text, or the id if it is unknown. */
  assigneeName: string | null;
  /** Whether that person may decide whatever their roles, because the rule lets approvers delegate. */
  assigneeIsDelegate: boolean;
  /** The reasons of the rules that require approval. */
  reasons: readonly string[];
  fields: readonly CardField[];
  /** Values that redaction hides from channels, by path. `fields` has their labels. */
  hiddenFields: readonly string[];
  /**
   * The tools that a script in the arguments appears to call, in one line; `null` if no rule asks for it. Information that
   * nothing enforces. Derived from the arguments, so a channel that leaves them out must leave it out too.
   */
  codePreview: string | null;
  /** Warnings about the texts, such as letters that imitate others. */
  warnings: readonly string[];
  /** The safety checks, failed ones first. */
  checks: readonly CardCheck[];
  /**
   * What the call would change, found out when it was proposed, one line each: "order A-1001: paid → refunded". Empty if its
   * tool has no preview, if `noPreview` says why there is none, and after an edit, because the effects are those of the
   * arguments as proposed. "Nothing would change." is a line too.
   */
  effects: readonly string[];
  /** Whether the call can be taken back, as a sentence; `null` if there are no `effects`, and if `undo` says it. */
  reversible: string | null;
  /** Why the effects are unknown although the tool has a preview, as a sentence. */
  noPreview: string | null;
  /**
   * What limits over time counted when the call was proposed, one line each: "3 of 10 calls of refund within 1h, by this
   * requester". Empty after an edit. Sums tell arguments, so a channel that leaves those out must leave these out too.
   */
  counts: readonly string[];
  /** `null` if nobody can undo the call, or if it ended without having run. */
  undo: CardUndo | null;
  /** `null` for calls that undo no other. */
  undoes: CardUndoes | null;
  /** The digest of the call on this card. A decision must carry it, and so must the wish to undo the call. */
  digest: string;
  expiresAt: Date | null;
  quorum: { required: number; approved: number };
  outcome: CardOutcome | null;
  /** The address of this approval in the inbox; `null` without `inboxUrl`. */
  url: string | null;
  /**
   * The decisions that this channel may offer. Empty if the rule's `decideIn` does not name the channel, and without
   * "approve" if `fields` and `effects` do not show the whole call. A channel that shows less than the card must omit "approve"
   * itself.
   */
  decisions: readonly ("approve" | "deny")[];
  /**
   * Why `decisions` lacks "approve" although the rule lets people approve in this channel: "some values are hidden
   * here". `null` if it does not lack it for such a reason.
   */
  notWhole: string | null;
}

/** A recipient of messages. A rule's `"slack:#finance"` names the channel `slack` and the target `#finance`. */
export interface Recipient {
  /** Unique within the channel, for example a conversation's id or an address. */
  id: string;
  /** For logs and the inbox: contains no secret. */
  label: string;
}

/** One message to one recipient. Sent at least once, so a repeat must change nothing. */
export interface Delivery {
  /** The same for every attempt and every version of the card. */
  id: string;
  /** The same for every attempt to report this event. */
  messageId: string;
  /**
   * The latest event. On a card, a later event does not replace an unsent reminder or escalation, unless the call ends.
   */
  event: DeliveryEvent;
  occurredAt: Date;
  /** When the message was first due. An earlier attempt of unknown outcome is not older. */
  since: Date;
  /** Attempts before this one. */
  attempts: number;
  recipient: Recipient;
  card: Card;
  /**
   * The `reference` that `send` last returned for this recipient and approval: the message to update or to reply to.
   */
  reference: ChannelReference | null;
}

/** The channel's own name for a message, stored with the delivery. JSON without secrets. */
export type ChannelReference = Record<string, string | number | boolean | null>;

/** The result of one attempt. */
export type Sent =
  /**
   * `skipped` says why nothing was sent, for example because the recipient does not want the event. `againInMs`: the
   * message is due again after this time, even if nothing changes.
   */
  | { ok: true; reference: ChannelReference | null; skipped?: string; againInMs?: number }
  /**
   * `retryAfterMs` delays the next attempt. `permanent` ends the delivery. `gone` also disables the recipient at once,
   * if the channel has `disableAfterMs`. `uncertain`: the recipient may have got the message nevertheless. `error` is
   * shown to operators, so it must not contain secrets.
   */
  | {
      ok: false;
      error: string;
      retryAfterMs?: number;
      permanent?: boolean;
      gone?: boolean;
      uncertain?: boolean;
    };
