import { didYouMean } from "../shared/did-you-mean.js";
import type { Layer } from "./policy-call.js";
import type { CompiledRule } from "./rules/compiled-rule.js";
import { channelOf, inboxPlace } from "./rules/rule.js";
import type { Terms } from "./rules/terms.js";

/** A channel that a rule names. */
export interface NamedChannel {
  /** The rule's id. */
  rule: string;
  field: "notify" | "decideIn";
  /** The entry as the rule has it, such as `slack:#finance`. */
  entry: string;
  channel: string;
}

/** The channels that rules and defaults name. Rules that are functions name theirs only for a call. */
export function namedChannels(
  rules: readonly CompiledRule[],
  defaults: readonly { layer: Layer; verdict: Terms }[],
): NamedChannel[] {
  return [
    ...rules.flatMap(({ id, effect }) => (effect.kind === "static" ? channelsOfTerms(id, effect.terms) : [])),
    ...defaults.flatMap(({ layer, verdict }) => channelsOfTerms(`${layer}:default`, verdict)),
  ];
}

/** The channels that the terms of a rule, or of a tool's mark, name. */
export function channelsOfTerms(rule: string, { notify = [], decideIn = [] }: Terms): NamedChannel[] {
  const places = decideIn.filter((place) => place !== inboxPlace);
  return [
    ...notify.map((entry) => ({ rule, field: "notify" as const, entry, channel: channelOf(entry) })),
    ...places.map((entry) => ({ rule, field: "decideIn" as const, entry, channel: entry })),
  ];
}

/** A sentence for each rule that names a channel which does not exist. */
export function unknownChannels(named: readonly NamedChannel[], known: readonly string[]): string[] {
  return named.flatMap((one) => {
    const problem = unknownChannel(one, known);
    return problem === undefined ? [] : [`rule "${one.rule}": ${problem}`];
  });
}

/** What is wrong if the channel does not exist. */
export function unknownChannel(
  { field, entry, channel }: NamedChannel,
  known: readonly string[],
): string | undefined {
  if (known.includes(channel)) return undefined;
  const listed = known.length > 0 ? `the channels are ${known.join(", ")}` : "there are no channels";
  return `${field}: "${entry}" names no channel; ${listed}${didYouMean(channel, known)}`;
}
