import {
  channelsOfTerms,
  type NamedChannel,
  unknownChannel,
} from "@countersign/policy/internal/policy/named-channels";
import type { Policy } from "@countersign/policy/internal/policy/policy";
import { channelOf, inboxPlace } from "@countersign/policy/internal/policy/rules/rule";
import type { Terms } from "@countersign/policy/internal/policy/rules/terms";
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
  const { rule, problem } = firstProblem(policy.channels?.() ?? [], channels) ?? {};
  if (problem !== undefined) {
    throw new CountersignError("invalid_option", `channels: rule "${rule}": ${problem}`);
  }
}

/** @throws CountersignError `invalid_option` if a tool's mark does the same. */
export function requireMarkedChannels(toolName: string, mark: Terms, channels: ConfiguredChannels): void {
  const { problem } = firstProblem(channelsOfTerms("tool", mark), channels) ?? {};
  if (problem !== undefined) {
    throw new CountersignError("invalid_option", `needsApproval: "${toolName}": ${problem}`);
  }
}

function firstProblem(named: readonly NamedChannel[], channels: ConfiguredChannels) {
  const known = [...channels.keys()];
  return named
    .map((one) => ({ rule: one.rule, problem: unknownChannel(one, known) ?? cannotDecide(one, channels) }))
    .find(({ problem }) => problem !== undefined);
}

function cannotDecide(
  { field, entry, channel }: NamedChannel,
  channels: ConfiguredChannels,
): string | undefined {
  if (field !== "decideIn" || channels.get(channel)?.receive) return undefined;
  return `decideIn: "${entry}" only notifies, so nobody can decide there; name it in notify instead`;
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
