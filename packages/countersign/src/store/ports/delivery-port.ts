// Do not import Drizzle here: public declarations include this file.

import type { Risk } from "@countersign/policy/internal/policy/rules/rule";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../../approval/approval.js";
import type { ChannelReference, DeliveryEvent, Recipient } from "../../channel/channel.js";
import type { RoundupTerms } from "../../channel/roundup.js";

/**
 * `due`: to be sent, or sent and outdated. `abandoned`: not sent, because the call was over before. `skipped`: not
 * sent, because the recipient does not want the event or is disabled.
 */
export const deliveryStates = ["due", "sent", "failed", "abandoned", "skipped"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** A message of a channel about an approval, as operators see it. */
export interface DeliveryRecord {
  /** The same for all calls that a roundup reports. */
  id: string;
  tenantId: string;
  approvalId: string;
  /** Whether the message reports several calls. State, attempts and times are those of that message. */
  inRoundup: boolean;
  channel: string;
  target: string | null;
  /** `null` until the channel has named its recipients. */
  recipient: Recipient | null;
  /** What happened last. */
  event: DeliveryEvent;
  occurredAt: Date;
  state: DeliveryState;
  /** All attempts so far. */
  attempts: number;
  /** When it is sent next; `null` if it is not due. */
  nextAttemptAt: Date | null;
  lastError: string | null;
  createdAt: Date;
  sentAt: Date | null;
}

/** Which deliveries to list. */
export interface DeliveryFilter {
  /** `null`: of all tenants. Never take it from a request. */
  tenantId: string | null;
  approvalId?: string | undefined;
  state?: DeliveryState | undefined;
  /** The last one of the previous page. */
  after?: { at: Date; id: string } | undefined;
  limit: number;
}

/** Who sends a message again: a principal, or an operator on the command line. */
type DeliveryActor = Pick<Principal, "id" | "roles" | "authenticatedBy">;

/** An attempt at one delivery, which this process alone may make until its lease ends. */
export interface ClaimedDelivery extends ReadForCard {
  id: string;
  /** The number of this attempt. */
  attempt: number;
  tenantId: string;
  channel: string;
  target: string | null;
  recipient: Recipient | null;
  event: DeliveryEvent;
  occurredAt: Date;
  /** When the message was first due. */
  since: Date;
  failures: number;
  /** Milliseconds since the event, or since somebody last asked for another attempt. */
  waitedMs: number;
  /** Milliseconds until the call expires, or the first call of a roundup; `null` if nobody can decide any more. */
  leftMs: number | null;
  wantedVersion: number;
  sentVersion: number;
  /** An earlier attempt may have sent the message. */
  uncertain: boolean;
  /** Somebody asked for another attempt. */
  replayed: boolean;
  /**
   * `null` unless the latest attempts for the recipient have failed. `disabledAt`: nothing is sent to the recipient
   * since then.
   */
  failing: { since: Date; disabledAt: Date | null } | null;
  /** What the channel returned last for this recipient and approval. */
  reference: ChannelReference | null;
  /** `null` if the message is about one call. */
  roundup: ClaimedRoundup | null;
}

/** An approval with what else its card needs. */
export interface ReadForCard {
  approval: Approval;
  /** Grows with every change of the approval. */
  version: number;
  /** The latest call that undoes this one; `null` without one. */
  undo: Approval | null;
  /** The time of the database. */
  now: Date;
  /** Names of people who have to do with the call, by their ids. Not of all of them. */
  names: ReadonlyMap<string, string>;
}

/** The waiting calls of which the recipient knows only by roundups. */
export interface ClaimedRoundup {
  groups: {
    toolName: string;
    risk: Risk;
    calls: number;
    oldest: Date | null;
    /** When the first of the calls expires. */
    expires: Date | null;
  }[];
  /** Some of the calls, to add up their amounts. */
  calls: Approval[];
  /** Minimum milliseconds between two roundups. */
  withinMs: number;
}

/** When calls are reported in a roundup, by the names of the channels that have roundups. */
export type RoundupsByChannel = Readonly<Record<string, RoundupTerms>>;

/**
 * `busy`: another sender has the delivery, or earlier messages to the same recipient must be sent first. `roundups`: the
 * call is reported in a roundup instead, and these roundups are due because of it, or the delivery is a roundup that is due
 * in `againInMs`.
 */
export type ClaimDeliveryResult =
  | ClaimedDelivery
  | "busy"
  | "nothing"
  | { roundups: string[]; againInMs: number | null };

/** The outcome of an attempt. */
export type AttemptEnd =
  /**
   * `againInMs`: the delivery is due again after this time, even if nothing changes. `wakes`: where the success shows
   * that messages that wait after failures can be sent now.
   */
  | {
      end: "sent";
      reference: ChannelReference | null;
      againInMs?: number;
      wakes?: "recipient" | "channel";
    }
  | { end: "abandoned" }
  | { end: "skipped"; why: string }
  /**
   * `retryInMs`: `null` gives up. `uncertain`: the message may have been sent after all. `disableAfterMs`: disables the
   * recipient if all attempts within this time have failed.
   */
  | {
      end: "failed";
      error: string;
      retryInMs: number | null;
      uncertain: boolean;
      disableAfterMs?: number | undefined;
    };

/** What happens after an attempt. */
export interface EndedAttempt {
  /** Milliseconds until the next attempt; `null` if none is due. */
  againInMs: number | null;
  /** The change of the recipient that this attempt caused, if any. */
  recipient: "disabled" | "enabled" | null;
}

/** The recipients of an event. */
export interface FanOut {
  recipients: readonly Recipient[];
  /** `card`: one row per recipient and approval. `events`: a new row for this event. */
  mode: "card" | "events";
  /** Whether the recipients of earlier messages of the target are recipients as well. */
  andEarlier: boolean;
  /** Why there are no recipients. */
  skipped?: string | undefined;
  /** When calls are reported in a roundup. */
  roundup?: RoundupTerms | undefined;
}

/** A delivery that is due but that no process sends. */
export interface OverdueDelivery {
  id: string;
  /**
   * The id of the event that is sent again. It changes after 1, 3, 7, 15 … minutes, so that an engine with a long queue
   * does not get a further run for the same message every minute.
   */
  resendId: string;
}

/** Messages of channels. */
export interface DeliveryPort {
  /**
   * Begins an attempt, if the delivery is due and its channel is one of these. Instead of many first messages to one
   * recipient, a roundup becomes due.
   */
  claimDelivery(
    id: string,
    channels: readonly string[],
    roundups?: RoundupsByChannel,
  ): Promise<ClaimDeliveryResult>;
  /** Records the end of an attempt, unless another has begun since. */
  endAttempt(claimed: ClaimedDelivery, end: AttemptEnd): Promise<EndedAttempt>;
  /**
   * Ends a delivery that has no recipient, writes one for each recipient, and returns the ids of those that are due.
   */
  fanOut(claimed: ClaimedDelivery, to: FanOut): Promise<string[]>;
  /** Deliveries of these channels that have been due for some seconds and that no process sends. */
  overdueDeliveries(channels: readonly string[], limit: number): Promise<OverdueDelivery[]>;
  /**
   * Fails deliveries that have been due for a day, or 30 days if they are for the history of a host's network, and whose
   * channel is not one of these.
   */
  failUnclaimed(channels: readonly string[]): Promise<void>;
  /**
   * The deliveries about one approval, oldest first. Omits a delivery without a recipient once its recipients have
   * their own.
   */
  listDeliveries(tenantId: string, approvalId: string): Promise<DeliveryRecord[]>;
  /** A page of deliveries, newest first, with the same omission. */
  findDeliveries(filter: DeliveryFilter): Promise<DeliveryRecord[]>;
  /**
   * Makes a delivery due again that was given up. Returns `undefined` if the tenant has no delivery with this id.
   * `tenantId`: `null` for any tenant; never take it from a request.
   */
  replayDelivery(input: {
    tenantId: string | null;
    by: DeliveryActor;
    deliveryId: string;
  }): Promise<DeliveryRecord | undefined>;
  /** Calls `listener` with deliveries that have become due, after each commit of this process. */
  onDue(listener: (ids: readonly string[]) => void): () => void;
  /** An approval with its version and names, for a card. */
  readForCard(tenantId: string, approvalId: string): Promise<ReadForCard | undefined>;
}
