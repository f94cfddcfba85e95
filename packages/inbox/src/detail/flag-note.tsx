import type { TextFlag } from "../api/approval.js";
import { Icon } from "../components/icon.js";
import { visibleText } from "../logic/visible-characters.js";

/** Letters that may mislead, and why. */
export function FlagNote({ flag }: { flag: TextFlag }) {
  const characters = [flag.characters ?? []].flat().map(visibleText);
  return (
    <small className="cs-flag">
      <Icon name="high" />
      <span>
        {explanation(flag.kind)}
        {characters.length > 0 && <>: {characters.join(" ")}</>}
      </span>
    </small>
  );
}

function explanation(kind: string): string {
  if (/mixed|script|confus|look|homo/i.test(kind)) {
    return "Letters of different alphabets in one word; it may imitate another word";
  }
  if (/bidi|direction/i.test(kind)) return "Characters that change the reading direction";
  if (/invisible|zero|format|control/i.test(kind)) return "Characters that cannot be seen";
  return `Unusual characters (${kind.replaceAll("_", " ")})`;
}
