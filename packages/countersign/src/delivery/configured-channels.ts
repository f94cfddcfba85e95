import { type NamedChannel, unknownChannels } from "@countersign/policy/internal/policy/named-channels";
import type { Policy } from "@countersign/policy/internal/policy/policy";
import { channelOf, inboxPlace } from "@countersign/policy/internal/policy/rules/rule";
import { dayMs } from "@countersign/policy/internal/shared/duration";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import type { Channel, DeliveryEvent } from "../channel/channel.js";
import type { RoundupsByChannel } from "../store/ports/delivery-port.js";

/** The channels of an instance, by name. */
export type ConfiguredChannels = ReadonlyMap<string, Channel>;

const reserved: readonly string[] = [inboxPlace, "api"];

/** @throws CountersignError `invalid_option`, naming the channel that cannot be used. */
export function channelsOf(given: readonly Channel[]): Map<string, Channel> {
  const channels = new Map<string, Channel>();
  for (const [index, channel] of given.entries()) {
    const problem =
      problemOf(channel) ?? (channels.has(channel.name) ? "another channel has the same name" : undefined);
    if (problem !== undefined) {
      const name = typeof channel?.name === "string" ? ` ("${channel.name}")` : "";
      throw new CountersignError("invalid_option", `channels[${index}]${name}: ${problem}`);
    }
    channels.set(channel.name, channel);
  }
  return channels;
}

function problemOf(channel: Channel): string | undefined {
  const methods = ["recipients", "send"] as const;
  const isChannel =
    typeof channel === "object" &&
    channel !== null &&
    methods.every((name) => typeof channel[name] === "function");
  if (!isChannel || (channel.mode !== "card" && channel.mode !== "events"))
    return "must be a channel, such as slack({ … }) from @countersign/channels/slack";
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(channel.name))
    return 'name: must be 1 to 32 lower-case letters, digits and hyphens, such as "slack"';
  if (channel.roundup !== undefined && typeof channel.sendRoundup !== "function")
    return "roundup: requires the method sendRoundup()";
  if (reserved.includes(channel.name)) return `name: must not be ${reserved.join(" or ")}`;
  return undefined;
}

/**
 * @throws CountersignError `invalid_option` if a rule of the policy names a channel that does not exist, or lets people
 * decide in a channel that only notifies.
 */
export function requireChannels(policy: Policy, channels: ConfiguredChannels): void {
  const named = policy.channels?.() ?? [];
  const [problem = cannotDecide(named, channels)] = unknownChannels(named, [...channels.keys()]);
  if (problem !== undefined) throw new CountersignError("invalid_option", `channels: ${problem}`);
}

function cannotDecide(named: readonly NamedChannel[], channels: ConfiguredChannels): string | undefined {
  const place = named.find(({ field, channel }) => field === "decideIn" && !channels.get(channel)?.receive);
  return (
    place &&
    `rule "${place.rule}": decideIn: "${place.entry}" only notifies, so nobody can decide there; name it in notify instead`
  );
}

/** The channels and targets to notify about a call: those that its rules name, and channels that get every approval. */
export function notifyTargets(
  channels: ConfiguredChannels,
  named: readonly string[],
  logger: Logger,
): string[] {
  const missing = named.filter((entry) => !channels.has(channelOf(entry)));
  if (missing.length > 0) {
    logger.error("A rule notifies a channel that this process does not have", { entries: missing });
  }
  const always = [...channels.values()].flatMap(({ name, everyApproval }) => (everyApproval ? [name] : []));
  return [...new Set([...named, ...always])].sort();
}

const firstRetryMs = 5_000;
const maxRetryMs = 300_000;
/** Maximum share of the time left for a decision that a default pause takes. */
const maxShare = 0.25;
const maxRetryAfterMs = dayMs;
/** With the default pauses, this many failures take about a day. */
const maxFailures = 294;
/** Pauses of a channel may be random, so its attempts end a little before all of them have passed. */
const scheduleShare = 0.9;

export interface FailedAttempts {
  /** Failures since the last success, at least 1. */
  failures: number;
  /** Milliseconds since the event, or since somebody last asked for another attempt. */
  waitedMs: number;
  /** Milliseconds that people have left to decide; `null` if the call is over or does not expire. */
  leftMs: number | null;
  /** The pause that the server asks for. */
  retryAfterMs?: number | undefined;
}

/**
 * The pause after a failure, by the channel's own schedule or the default one. It is longer if the server asks for a
 * longer one. `null` gives up.
 */
export function retryDelayMs(
  channel: Channel,
  { failures, waitedMs, leftMs, retryAfterMs = 0 }: FailedAttempts,
): number | null {
  const byChannel = channel.retryDelayMs?.bind(channel);
  const planned = lastingPause(byChannel ?? defaultRetryDelayMs, failures, waitedMs);
  if (planned === null) return null;
  // A call past its deadline is about to be closed.
  const max =
    byChannel || leftMs === null || leftMs <= 0
      ? planned
      : Math.max(firstRetryMs, Math.round(leftMs * maxShare));
  return Math.max(Math.min(planned, max), Math.min(retryAfterMs, maxRetryAfterMs), 0);
}

/** Milliseconds until the next attempt after some failures: 5 s doubling up to five minutes, for about a day. */
function defaultRetryDelayMs(failures: number): number | null {
  if (failures > maxFailures) return null;
  return Math.min(firstRetryMs * 2 ** Math.min(failures - 1, 30), maxRetryMs);
}

/**
 * The pause of a schedule after this many failures. Other messages that arrive cause additional attempts, so after its
 * last attempt a schedule repeats its last pause until the time of the whole schedule has passed.
 */
function lastingPause(
  schedule: (failures: number) => number | null,
  failures: number,
  waitedMs: number,
): number | null {
  const pause = finite(schedule(failures));
  if (pause !== null) return pause;
  let last: number | null = null;
  let total = 0;
  for (let count = 1; count < failures; count++) {
    const earlier = finite(schedule(count));
    if (earlier === null) break;
    last = earlier;
    total += earlier;
  }
  return waitedMs < total * scheduleShare ? last : null;
}

function finite(pause: number | null): number | null {
  return pause !== null && Number.isFinite(pause) ? pause : null;
}

const callsForAction: ReadonlySet<DeliveryEvent> = new Set([
  "approval.pending",
  "approval.reminded",
  "approval.escalated",
  "approval.assigned",
]);

/** Whether an unsent message about this event is pointless once the call is over. */
export function stopsWhenClosed(channel: Channel, event: DeliveryEvent): boolean {
  return channel.stopsWhenClosed ? channel.stopsWhenClosed(event) : callsForAction.has(event);
}

/** When calls become one message, by the names of the channels that have roundups. */
export function roundupsOf(channels: ConfiguredChannels): RoundupsByChannel {
  const named = [...channels.values()].flatMap(({ name, roundup }) =>
    roundup ? [[name, roundup] as const] : [],
  );
  return Object.fromEntries(named);
}

/** Whether the channel reports this event. */
export function reports(channel: Channel, event: DeliveryEvent): boolean {
  return channel.events === undefined || channel.events.includes(event);
}
