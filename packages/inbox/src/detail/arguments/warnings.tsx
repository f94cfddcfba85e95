import { flagText } from "@countersign/policy/display";
import type { TextFlag } from "../../api/approval.js";
import { Button } from "../../components/button.js";
import { Icon } from "../../components/icon.js";
import { words } from "../../words/words.js";

interface WarningsProps {
  flags: readonly TextFlag[];
  /** Whether there are more warnings than the API sent. @default false */
  more?: boolean;
  /** Whether the reader has marked them as checked. @default undefined: no button */
  checked?: boolean | undefined;
  onCheck?: (checked: boolean) => void;
}

/** Warnings about a value, with a button that marks them as checked. */
export function Warnings({ flags, more = false, checked, onCheck }: WarningsProps) {
  const texts = words.detail.facts.warnings;
  const notes = [...new Set(flags.map((flag) => flagText(flag, words.display)))];
  if (more) notes.push(texts.more);
  return (
    <div className="cs-flags" data-checked={checked || undefined}>
      <ul>
        {notes.map((text) => (
          <li key={text} className="cs-flag">
            <Icon name="high" />
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {checked !== undefined && (
        <Button
          data-unreviewed={checked ? undefined : "warning"}
          aria-pressed={checked}
          onClick={() => onCheck?.(!checked)}
        >
          {checked && <Icon name="check" />}
          {checked ? texts.checked : texts.check}
        </Button>
      )}
    </div>
  );
}
