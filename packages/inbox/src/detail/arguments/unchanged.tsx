import { effectValue, isUnchanged } from "@countersign/policy/display";
import type { Approval } from "../../api/approval.js";
import { Icon } from "../../components/icon.js";
import { SafeText } from "../../components/safe-text.js";
import { words } from "../../words/words.js";

/** Warns that something is already as it would be: perhaps it was done before. */
export function Unchanged({ effect }: { effect: NonNullable<Approval["preview"]>["effects"][number] }) {
  if (!isUnchanged(effect)) return null;
  const value = effectValue(effect.before, { name: effect.target, words: words.display });
  return (
    <p className="cs-flag">
      <Icon name="high" />
      <strong>
        <SafeText text={words.detail.facts.effects.unchanged(value)} />
      </strong>
    </p>
  );
}
