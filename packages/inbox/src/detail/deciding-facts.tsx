import type { Approval } from "../api/approval.js";
import { CallLink } from "../components/call-link.js";
import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { useNow } from "../data/browser/use-now.js";
import { useMe } from "../data/people/use-me.js";
import { decidingFacts } from "../logic/wording/deciding-facts.js";
import { words } from "../words/words.js";

/** What should stop a hand, directly below the sentence, and nowhere else in this colour. */
export function DecidingFacts({ approval }: { approval: Approval }) {
  const me = useMe().data?.principal.id;
  const facts = decidingFacts(approval, useNow(), me);
  if (facts.length === 0) return null;
  return (
    <ul className="cs-deciding">
      {facts.map(({ text, approvalId }) => (
        <li key={text}>
          <Icon name="high" />
          <span>
            <SafeText text={text} />
          </span>
          {approvalId && <CallLink id={approvalId}>{words.detail.viewCall}</CallLink>}
        </li>
      ))}
    </ul>
  );
}
