import type { Approval } from "../../api/approval.js";
import { Icon } from "../../components/icon.js";
import { SafeText } from "../../components/safe-text.js";
import { unchangedText } from "../../logic/wording/unchanged-text.js";

interface UnchangedProps {
  effect: NonNullable<Approval["preview"]>["effects"][number];
  /** Whether it warns here. @default false: the warning stands below the sentence */
  warns?: boolean;
}

/** Says that something is already as it would be: perhaps it was done before. */
export function Unchanged({ effect, warns = false }: UnchangedProps) {
  const text = unchangedText(effect);
  if (text === undefined) return null;
  return (
    <p className={warns ? "cs-flag" : undefined}>
      {warns && <Icon name="high" />}
      <strong>
        <SafeText text={text} />
      </strong>
    </p>
  );
}
