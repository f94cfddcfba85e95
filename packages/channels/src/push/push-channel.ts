import { dayMs } from "@countersign/policy/internal/shared/duration";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { timeoutSignal } from "@countersign/policy/internal/shared/timeout-signal";
import type { Channel } from "countersign";
import type { StoreVerbs } from "countersign/internal";
import type { Delivery, DeliveryEvent, Sent } from "countersign/types";
import webPush from "web-push";
import { PrivateAddress } from "../webhooks/checked-lookup.js";
import { type Network, post, systemNetwork } from "../webhooks/post.js";
import { sentBy } from "../webhooks/sent-by.js";
import { mayBeAsked } from "./may-be-asked.js";
import { pushMessage, topicOf, ttlSeconds } from "./push-message.js";
import { checkedVapidKeys, type VapidKeys } from "./vapid-keys.js";

export interface PushNetwork extends Network {
  /** Allows private addresses and any port, for tests. @default false */
  allowPrivate?: boolean;
}

/** What the channel needs of the store. */
type PushSubscriptions = Pick<StoreVerbs, "listPushSubscriptions" | "deletePushSubscription">;
type PushSubscription = Awaited<ReturnType<PushSubscriptions["listPushSubscriptions"]>>[number];

/** Events that ask people to decide. Nothing else is worth an interruption. */
const events: readonly DeliveryEvent[] = [
  "approval.pending",
  "approval.reminded",
  "approval.escalated",
  "approval.assigned",
];

/**
 * Milliseconds for one attempt. Less than the limit for all channels, so that a status that has arrived still counts.
 */
const timeoutMs = 14_500;

/**
 * A channel with one recipient for each browser in which a person who may decide has turned notifications on.
 *
 * @see pushChannel in `@countersign/channels/push`
 */
export function createPushChannel(
  keys: VapidKeys,
  subscriptions: PushSubscriptions,
  network: PushNetwork = systemNetwork,
): Channel {
  const vapid = checkedVapidKeys(keys);
  return {
    name: "push",
    mode: "events",
    events,
    // Whoever has turned notifications on wants all of them, so rules need not name the channel.
    everyApproval: true,
    pushKey: vapid.publicKey,
    // So that a browser whose push service fails delays no other one.
    disableAfterMs: 5 * dayMs,
    async recipients(target, card) {
      if (target !== null)
        throw new CountersignError(
          "invalid_option",
          `push: has no targets, so a rule names it as "push" instead of "push:${target}"`,
        );
      const found = await subscriptions.listPushSubscriptions(card.tenantId);
      return found
        .filter((subscription) => mayBeAsked(subscription, card))
        .map(({ id, principalId }) => ({ id, label: principalId }));
    },
    async send(delivery, signal) {
      const { card, recipient, event } = delivery;
      const [subscription] = await subscriptions.listPushSubscriptions(card.tenantId, recipient.id);
      if (!subscription) return skipped("The person has turned notifications off in this browser");
      if (!mayBeAsked(subscription, card)) return skipped("The person can no longer decide, or has decided");
      if (event === "approval.assigned" && card.assignee !== subscription.principalId)
        return skipped("The call is assigned to somebody else");
      const limited = AbortSignal.any([signal, timeoutSignal(timeoutMs)]);
      return attempt({ delivery, subscription, subscriptions, vapid, network }, limited);
    },
  };
}

const notAllowed = "The address of the push service is not allowed";

interface Attempt {
  delivery: Delivery;
  subscription: PushSubscription;
  subscriptions: PushSubscriptions;
  vapid: VapidKeys;
  network: PushNetwork;
}

async function attempt(parts: Attempt, signal: AbortSignal): Promise<Sent> {
  const { delivery, subscription, subscriptions, network } = parts;
  const end = async (why: string) => {
    await subscriptions.deletePushSubscription(delivery.card.tenantId, { id: subscription.id });
    return skipped(why);
  };
  const { allowPrivate = false } = network;
  // Push services use port 443 only. `URL` leaves it out.
  if (!allowPrivate && new URL(subscription.endpoint).port !== "") return await end(notAllowed);
  try {
    const answer = await post({ ...encrypted(parts), allowPrivate, signal }, network);
    // Push services answer so for ever once a browser has ended its subscription.
    if (answer.status === 404 || answer.status === 410)
      return await end("The browser's subscription has ended");
    return sentBy(answer, new Date());
  } catch (error) {
    if (error instanceof PrivateAddress) return await end(notAllowed);
    // No details: the address comes from a browser, and people who decide can read this.
    return {
      ok: false,
      error: signal.aborted
        ? "The push service did not answer in time"
        : "The push service could not be reached",
    };
  }
}

function encrypted({ delivery: { card }, subscription: { endpoint, keys }, vapid }: Attempt) {
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys },
    JSON.stringify(pushMessage(card)),
    {
      vapidDetails: vapid,
      TTL: ttlSeconds(card, new Date()),
      topic: topicOf(card),
      // A person has to decide in time, so the device should wake up.
      urgency: "high",
    },
  );
  const { "Content-Length": _, ...rest } = headers;
  return { url: new URL(endpoint), headers: { ...rest, "user-agent": "countersign" }, body };
}

function skipped(why: string): Sent {
  return { ok: true, reference: null, skipped: why };
}
