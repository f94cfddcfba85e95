import type { TextFlag } from "../api/approval.js";
import { Icon } from "../components/icon.js";
import { flagWords } from "../logic/flag-words.js";

/** Letters that may mislead, and why. */
export function FlagNote({ flag }: { flag: TextFlag }) {
  const characters = flag.characters ?? [];
  return (
    <small className="cs-flag">
      <Icon name="high" />
      <span>
        {flagWords(flag)}
        {characters.length > 0 && <>: {characters.join(", ")}</>}
      </span>
    </small>
  );
}
