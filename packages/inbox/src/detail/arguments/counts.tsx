import { countText } from "@countersign/policy/display";
import { useId } from "react";
import type { Approval } from "../../api/approval.js";
import { Heading } from "../../components/heading.js";
import { SafeText } from "../../components/safe-text.js";
import { words } from "../../words/words.js";

type Count = Approval["counts"][number];

/** What limits over time counted when the call was proposed, each with how much of its limit that is. */
export function Counts({ approval }: { approval: Approval }) {
  const id = useId();
  const { counts } = approval;
  if (counts.length === 0) return null;
  return (
    <div className="cs-counts">
      <Heading step={2} id={id}>
        {words.detail.facts.counts}
      </Heading>
      <ul className="cs-values" aria-labelledby={id}>
        {counts.map((count) => (
          <li key={count.condition} className="cs-limit">
            <span>
              <SafeText text={countText(count, words.display, approval)} /> <Share count={count} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The part of the limit as a bar, which says nothing that the text does not. */
function Share({ count: { limit, total } }: { count: Count }) {
  if (limit === null || limit <= 0 || total === null) return null;
  return (
    <span className="cs-limit-bar" aria-hidden="true">
      <span style={{ inlineSize: `${Math.min(100, (total / limit) * 100)}%` }} />
    </span>
  );
}
