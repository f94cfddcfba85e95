import { visibleText } from "@countersign/policy/internal/display/visible-text";
import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import { crashPoint } from "@countersign/policy/internal/shared/crash-point";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import { span, type Tracer } from "@countersign/policy/internal/shared/span";
import { OutOfTime, withinTime } from "@countersign/policy/internal/shared/within-time";
import type { Card, Channel, Sent } from "../channel/channel.js";
import type { AttemptEnd, ClaimedDelivery } from "../store/ports/delivery-port.js";
import type { Store } from "../store/store.js";
import { type CardPlace, renderCard } from "./card/render-card.js";
import { renderRoundup } from "./card/render-roundup.js";
import { type ConfiguredChannels, reports, roundupsOf, stopsWhenClosed } from "./configured-channels.js";
import { retryDelayMs } from "./retry-delay.js";
import { thrownText } from "./thrown-text.js";

const maxError = 300;
const busyMs = 1_000;
/** Milliseconds that a channel has for one attempt. */
const attemptTimeoutMs = 15_000;

export interface DeliveryParts {
  store: Store;
  channels: ConfiguredChannels;
  /** The address of the inbox, without a slash at its end. */
  inboxUrl: string | null;
  logger: Logger;
  tracer?: Tracer | undefined;
}

/** The result for a roundup whose channel no longer has roundups. */
const noRoundups: Sent = { ok: false, permanent: true, error: "The channel sends no roundups" };

/** `againInMs`: when the same delivery is due next. `due`: other deliveries that are due now. */
export interface Attempted {
  againInMs: number | null;
  due: string[];
}

/** Makes one attempt at a delivery that is due. Never fails because of a channel. */
export type Attempt = (deliveryId: string) => Promise<Attempted>;

export function createAttempt(parts: DeliveryParts): Attempt {
  const { store, channels } = parts;
  const roundups = roundupsOf(channels);
  return async (deliveryId) => {
    const claimed = await store.claimDelivery(deliveryId, [...channels.keys()], roundups);
    if (claimed === "nothing") return { againInMs: null, due: [] };
    if (claimed === "busy") return { againInMs: busyMs, due: [] };
    if ("roundups" in claimed) return { againInMs: claimed.againInMs, due: claimed.roundups };
    const channel = channels.get(claimed.channel);
    if (!channel) return { againInMs: null, due: [] };
    const { recipient } = claimed;
    const place = { channel: channel.name, inboxUrl: parts.inboxUrl };
    if (!recipient) return spread(parts, channel, claimed, renderCard(claimed, place));
    const { id, approval, event, tenantId } = claimed;
    const attributes = {
      "countersign.delivery.id": id,
      "countersign.approval.id": approval.id,
      "countersign.tenant.id": tenantId,
      "countersign.tool.name": approval.toolName,
      "countersign.channel": channel.name,
      "countersign.event": event,
    };
    const end =
      unsent(channel, claimed) ??
      (await span(parts.tracer, "deliver", attributes, async (add) => {
        const sent = await send(channel, { ...claimed, recipient }, place);
        add({ "countersign.outcome": sent.end });
        return sent;
      }));
    crashPoint("after-send");
    return { againInMs: await ended(parts, claimed, end), due: [] };
  };
}

/** Finds the recipients of an event, and writes a delivery for each. */
async function spread(
  parts: DeliveryParts,
  channel: Channel,
  claimed: ClaimedDelivery,
  card: Card,
): Promise<Attempted> {
  const { store } = parts;
  const { approval, target } = claimed;
  const { mode } = channel;
  const silent =
    !reports(channel, claimed.event) || !isForPeople(channel, claimed) || isOutdated(channel, claimed);
  if (silent) {
    const skipped = "The channel does not report this event of this call";
    const nobody = { recipients: [], mode, andEarlier: false, skipped };
    return { againInMs: null, due: await store.fanOut(claimed, nobody) };
  }
  // The end of a call is only reported to recipients that have a card, whatever a directory returns now.
  const asks = mode === "events" || isOpen(approval.status) || approval.verdict === "notify";
  try {
    const recipients = asks ? await withinTime(attemptTimeoutMs, () => channel.recipients(target, card)) : [];
    const to = { recipients, mode, andEarlier: true, roundup: channel.roundup };
    return { againInMs: null, due: await store.fanOut(claimed, to) };
  } catch (error) {
    return { againInMs: await ended(parts, claimed, failure(channel, claimed, thrownText(error))), due: [] };
  }
}

/**
 * False for calls about which people were neither asked nor notified: those that a grant allowed, that the policy
 * denied, or that were withdrawn before they were announced. Only channels that get every approval report them.
 */
function isForPeople(channel: Channel, { approval }: ClaimedDelivery): boolean {
  return channel.everyApproval === true || approval.announcedAt !== null || approval.verdict === "notify";
}

/** True if the call ended before this event was reported. */
function isOutdated(channel: Channel, { approval, event }: ClaimedDelivery): boolean {
  return channel.mode === "events" && !isOpen(approval.status) && stopsWhenClosed(channel, event);
}

function isPointless(channel: Channel, claimed: ClaimedDelivery): boolean {
  const { approval, sentVersion, uncertain, roundup } = claimed;
  if (roundup) return false;
  if (channel.mode === "events") return isOutdated(channel, claimed);
  // If a card may have been sent, it must show the end.
  return !uncertain && sentVersion === 0 && !isOpen(approval.status) && approval.verdict !== "notify";
}

/** The end of a delivery that needs no attempt; `undefined` if it needs one. */
function unsent(channel: Channel, claimed: ClaimedDelivery): AttemptEnd | undefined {
  if (claimed.roundup?.groups.length === 0) return { end: "abandoned" };
  // An operator who replays an abandoned message wants it sent.
  if (!claimed.replayed && isPointless(channel, claimed)) return { end: "abandoned" };
  if (claimed.failing?.disabledAt && channel.disableAfterMs !== undefined && !claimed.replayed) {
    const since = claimed.failing.since.toISOString();
    return { end: "skipped", why: `The recipient is disabled: everything has failed since ${since}` };
  }
  return undefined;
}

async function send(
  channel: Channel,
  claimed: ClaimedDelivery & { recipient: NonNullable<ClaimedDelivery["recipient"]> },
  place: CardPlace,
): Promise<AttemptEnd> {
  const { id, wantedVersion, event, occurredAt, since, attempt, recipient, reference } = claimed;
  const messageId = channel.mode === "card" || claimed.roundup ? `${id}_${wantedVersion}` : id;
  const delivery = { id, messageId, event, occurredAt, since, attempts: attempt - 1, recipient, reference };
  let sent: Sent;
  try {
    sent = await withinTime(attemptTimeoutMs, (signal) => {
      if (!claimed.roundup) return channel.send({ ...delivery, card: renderCard(claimed, place) }, signal);
      const roundup = renderRoundup(claimed.roundup, { tenantId: claimed.tenantId, ...place });
      return channel.sendRoundup?.({ ...delivery, roundup }, signal) ?? noRoundups;
    });
  } catch (error) {
    const text = error instanceof OutOfTime ? "The channel did not answer in time" : thrownText(error);
    return failure(channel, claimed, text, { uncertain: true });
  }
  if (!sent.ok) return failure(channel, claimed, visibleText(sent.error, maxError), sent);
  if (typeof sent.skipped === "string") {
    return { end: "skipped", why: visibleText(sent.skipped, maxError) };
  }
  const { ok: _, ...accepted } = sent;
  // Recipients that are disabled one by one, such as endpoints of webhooks, fail for reasons of their own.
  const wakes = channel.disableAfterMs === undefined ? "channel" : "recipient";
  return { end: "sent", ...accepted, wakes };
}

function failure(
  channel: Channel,
  claimed: ClaimedDelivery,
  error: string,
  {
    permanent = false,
    gone = false,
    uncertain = false,
    retryAfterMs,
  }: Partial<Extract<Sent, { ok: false }>> = {},
): AttemptEnd & { end: "failed" } {
  const { waitedMs, leftMs } = claimed;
  const failures = claimed.failures + 1;
  const retryInMs = permanent ? null : retryDelayMs(channel, { failures, waitedMs, leftMs, retryAfterMs });
  const disableAfterMs = gone && channel.disableAfterMs !== undefined ? 0 : channel.disableAfterMs;
  return { end: "failed", error, retryInMs, uncertain, disableAfterMs };
}

async function ended(
  { store, logger }: DeliveryParts,
  claimed: ClaimedDelivery,
  end: AttemptEnd,
): Promise<number | null> {
  const { id: deliveryId, channel, event, approval, attempt } = claimed;
  if (end.end === "failed") {
    const fields = { deliveryId, channel, event, approvalId: approval.id, attempt, error: end.error };
    if (end.retryInMs === null) logger.error("A delivery has failed and is not tried again", fields);
    else logger.warn("An attempt at a delivery has failed", fields);
  }
  const { againInMs, recipient } = await store.endAttempt(claimed, end);
  if (recipient !== null) {
    const fields = { channel, recipient: claimed.recipient?.label, tenantId: claimed.tenantId, deliveryId };
    if (recipient === "enabled") logger.info?.("A disabled recipient works again and is enabled", fields);
    else
      logger.error(
        "A recipient is disabled: it is gone, or everything has failed for days. Replay a delivery",
        fields,
      );
  }
  return againInMs;
}
