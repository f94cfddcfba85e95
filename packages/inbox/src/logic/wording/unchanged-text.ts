import { effectValue, isUnchanged } from "@countersign/policy/display";
import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";

type Effect = NonNullable<Approval["preview"]>["effects"][number];

/** Says that something is already as it would be: perhaps it was done before. `undefined` if it would change. */
export function unchangedText(effect: Effect): string | undefined {
  if (!isUnchanged(effect)) return undefined;
  const value = effectValue(effect.before, { name: effect.target, words: words.display });
  return words.detail.facts.effects.unchanged(value);
}
