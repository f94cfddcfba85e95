import type { Principal } from "../shared/principal.js";
import type { DigestDelivery, DigestSent, DigestTerms } from "./digest.js";
import type { Card, Delivery, DeliveryEvent, Recipient, Sent } from "./message.js";

export {
  type Card,
  type CardField,
  type CardOutcome,
  type ChannelReference,
  type Delivery,
  type DeliveryEvent,
  deliveryEvents,
  type Recipient,
  type Sent,
} from "./message.js";

/** What a channel knows of a person who acts in it, after it has verified who sent the request. */
export interface ChannelIdentity {
  /** The channel's name. */
  channel: string;
  /** The verified id there, for example a Slack team and user. */
  id: string;
  /** More that the channel verified, such as the team. */
  attributes: Readonly<Record<string, string>>;
}

/** The host's function from a verified identity to a principal; `null` if the host does not know the person. */
export type Identify = (identity: ChannelIdentity) => Promise<Principal | null> | Principal | null;

/** The only way by which a channel decides: the same checks as in the inbox, and the rule's `decideIn`. */
export interface ChannelGate {
  /**
   * Never throws for what a person does. `refused` has words for the person; `card` is the present state, if this
   * principal may see it.
   */
  decide(input: {
    principal: Principal;
    approvalId: string;
    /** Of the card on which the person acted. */
    digest: string;
    decision: "approve" | "deny";
    reason?: string;
  }): Promise<ChannelDecision>;
  /** The present card for a principal who may see the approval; `null` otherwise. */
  card(principal: Principal, approvalId: string): Promise<Card | null>;
}

export type ChannelDecision =
  | { ok: true; card: Card }
  | { ok: false; code: string; message: string; card: Card | null };

/** A place outside the inbox where people hear about approvals, and may answer if it verifies who they are. */
export interface Channel {
  /** The name in rules: lower-case letters, digits and hyphens. */
  readonly name: string;
  /**
   * `card`: one message per recipient and approval, updated in place. `events`: a message of its own for each event that
   * the channel reports.
   */
  readonly mode: "card" | "events";
  /** The events that it reports. @default all */
  readonly events?: readonly DeliveryEvent[];
  /** Whether it hears of every approval, also of those whose rules do not name it. @default false */
  readonly everyApproval?: boolean;
  /** Milliseconds until the next attempt, by the number of failures so far; `null` gives up. @default exponential up to an hour, for a day */
  retryDelayMs?(failures: number): number | null;
  /**
   * Milliseconds of nothing but failures, over several days, after which nothing more is sent to a recipient until an operator
   * replays a message to it with success. @default never
   */
  readonly disableAfterMs?: number;
  /** Whether an unfinished delivery of this event is pointless once the call is over. @default pending, reminded, escalated, assigned */
  stopsWhenClosed?(event: DeliveryEvent): boolean;
  /**
   * Who hears of this approval. `target` is the part of the rule's entry after the colon.
   * Throwing, for example because a directory cannot be reached, is retried.
   */
  recipients(target: string | null, card: Card): Promise<readonly Recipient[]> | readonly Recipient[];
  /** Makes one attempt within the signal's time. A thrown error is a failure that is retried. */
  send(delivery: Delivery, signal: AbortSignal): Promise<Sent>;
  /** When several calls for one recipient become one message. Needs `sendDigest`. @default every call has its own */
  readonly digest?: DigestTerms | undefined;
  /** Makes one attempt to post a digest, or to bring it up to date. It must offer no decision. */
  sendDigest?(delivery: DigestDelivery, signal: AbortSignal): Promise<DigestSent>;
  /** Receives what people do in the channel, under `POST /channels/<name>`; verifies the sender before anything else. */
  receive?(request: Request, gate: ChannelGate): Promise<Response>;
}
