import { Link } from "wouter";
import { EmptyState } from "../components/empty-state.js";
import { SafeText } from "../components/safe-text.js";
import { useRecent } from "../data/use-history.js";
import { useMe } from "../data/use-me.js";
import { changesBetween } from "../logic/changes.js";
import { pastWords } from "../logic/past-words.js";
import { sentenceOf } from "../logic/sentence.js";

/** A good moment: what was decided last. */
export function NothingWaits() {
  const { data } = useRecent(true);
  const me = useMe().data?.principal?.id;
  return (
    <EmptyState title="Nothing waits for you">
      <p>You are told as soon as an agent needs a decision.</p>
      {data && data.items.length > 0 && (
        <>
          <h3>Decided last</h3>
          <ul className="cs-recent">
            {data.items.map((approval) => (
              <li key={approval.id}>
                <Link href={`/history/${approval.id}`}>
                  <span>
                    <SafeText text={sentenceOf(approval)} />
                  </span>
                  <small>
                    {pastWords(approval, changesBetween(approval.input, approval.editedInput).length, me)}
                  </small>
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </EmptyState>
  );
}
