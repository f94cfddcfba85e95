import type { VerifiedPrincipal } from "@countersign/policy/internal/shared/principal";
import type { Card, Delivery, DeliveryEvent, Recipient, Sent } from "./message.js";
import type { RoundupDelivery, RoundupTerms } from "./roundup.js";

export {
  type Card,
  type CardCheck,
  type CardField,
  type CardOutcome,
  type CardUndo,
  type CardUndoes,
  type CardVote,
  type ChannelReference,
  type Delivery,
  type DeliveryEvent,
  deliveryEvents,
  type Recipient,
  type Sent,
} from "./message.js";

/** What a channel knows about the person who acts in it, after it has verified the sender of the request. */
export interface ChannelIdentity {
  /** The channel's name. */
  channel: string;
  /** The person's verified id in the channel, such as a Slack team and user. */
  id: string;
  /** Further facts that the channel has verified, such as the team. */
  attributes: Readonly<Record<string, string>>;
}

/**
 * The host's function that maps a verified identity to a principal; `null` if the host does not know the person. As for
 * `authenticate`, a principal without the field `tenantId` belongs to the tenant of the instance.
 */
export type Identify = (
  identity: ChannelIdentity,
) => Promise<VerifiedPrincipal | null> | VerifiedPrincipal | null;

/**
 * The only way in which a channel can decide. It makes the same checks as the inbox, and also checks the rule's
 * `decideIn`.
 */
export interface ChannelGate {
  /**
   * A refusal is a result and not an error: `message` is for the person, and `card` is the approval's current state, if
   * this principal may see it or has its digest from a card.
   */
  decide(input: {
    principal: VerifiedPrincipal;
    approvalId: string;
    /** The digest on the card that the person used. */
    digest: string;
    decision: "approve" | "deny";
    reason?: string;
  }): Promise<ChannelDecision>;
  /**
   * Asks for the undo of a call that has run, and approves the undo as far as this principal may. It makes the same checks as
   * `countersign.undo`, and refuses a call that a card of this channel does not show in full.
   */
  undo(input: {
    principal: VerifiedPrincipal;
    approvalId: string;
    /** The digest on the card that the person used. */
    digest: string;
    reason?: string;
  }): Promise<ChannelUndo>;
  /**
   * The current card for a principal who may see the approval, or who has its digest from a card of this channel. `null`
   * for others.
   */
  card(principal: VerifiedPrincipal, approvalId: string, digest?: string): Promise<Card | null>;
}

export type ChannelDecision =
  /** `repeated`: this person had decided the same before, so nothing has changed. */
  | { ok: true; card: Card; repeated: boolean }
  | { ok: false; code: string; message: string; card: Card | null };

export type ChannelUndo =
  /** `undo` is the undo, a call of its own: it may wait for others, or be denied by the policy. `card` is the undone call. */
  { ok: true; card: Card; undo: Card } | Extract<ChannelDecision, { ok: false }>;

/**
 * A place outside the inbox that notifies people about approvals. They may decide there if the channel verifies who
 * they are.
 */
export interface Channel {
  /** The name in rules: lower-case letters, digits and hyphens. */
  readonly name: string;
  /**
   * `card`: one message per recipient and approval, updated in place. `events`: a separate message for each event that
   * the channel reports.
   */
  readonly mode: "card" | "events";
  /** The events that the channel reports. @default all */
  readonly events?: readonly DeliveryEvent[];
  /** Whether the channel gets every approval, even if its rules do not name the channel. @default false */
  readonly everyApproval?: boolean;
  /** The VAPID public key with which browsers subscribe to this channel. @default browsers cannot subscribe */
  readonly pushKey?: string;
  /**
   * Milliseconds until the next attempt after this number of failures; `null` gives up, unless attempts were made earlier
   * because other messages arrived.
   * @default exponential, up to five minutes, for a day
   */
  retryDelayMs?(failures: number): number | null;
  /**
   * Disables a recipient after this many milliseconds, over several days, in which every attempt failed. A disabled
   * recipient gets nothing until an operator replays a message to it and that message is delivered.
   * @default never
   */
  readonly disableAfterMs?: number;
  /**
   * Whether an unsent message about this event is pointless once the call is over.
   * @default true for pending, reminded, escalated and assigned
   */
  stopsWhenClosed?(event: DeliveryEvent): boolean;
  /**
   * Returns who gets a message about this approval. `target` is the part of the rule's entry after the colon. If it
   * throws, for example because a directory cannot be reached, it is called again later.
   */
  recipients(target: string | null, card: Card): Promise<readonly Recipient[]> | readonly Recipient[];
  /** Makes one attempt. It must end when the signal fires. A thrown error counts as a failure and is retried. */
  send(delivery: Delivery, signal: AbortSignal): Promise<Sent>;
  /**
   * When further calls for one recipient are reported in a roundup instead of messages of their own. Requires
   * `sendRoundup`. @default every call has its own message
   */
  readonly roundup?: RoundupTerms | undefined;
  /** Makes one attempt to send a roundup. A roundup must not offer decisions, and is never updated. */
  sendRoundup?(delivery: RoundupDelivery, signal: AbortSignal): Promise<Sent>;
  /** Handles requests to `POST /channels/<name>`, such as clicks. It must verify the sender before anything else. */
  receive?(request: Request, gate: ChannelGate): Promise<Response>;
}
