import { Link } from "wouter";
import { EmptyState } from "../components/empty-state.js";
import { Sentence } from "../components/sentence.js";
import { UndoMark } from "../components/undo-mark.js";
import { useRecent } from "../data/approvals/use-history.js";
import { useMe } from "../data/people/use-me.js";
import { changesBetween } from "../logic/arguments/argument-changes.js";
import type { ListName } from "../logic/lists/view.js";
import { outcomeText } from "../logic/wording/outcome-text.js";
import { words } from "../words/words.js";
import { TheDay } from "./the-day.js";

/** Shown if a list has no calls: what it is for, and the latest decisions. */
export default function EmptyList({ list }: { list: ListName }) {
  const { data } = useRecent(true);
  const me = useMe().data?.principal;
  const { title, text } = words.lists.empty[list];
  return (
    <EmptyState title={title}>
      <p>{text}</p>
      {list === "for_you" && <TheDay />}
      {me && <p>{words.lists.signedIn(me.id, me.roles)}</p>}
      {data && data.items.length > 0 && (
        <>
          <h3>{words.lists.recent}</h3>
          <ul className="cs-recent">
            {data.items.map((approval) => (
              <li key={approval.id}>
                <Link href={`/history/${approval.id}`}>
                  <span>
                    <Sentence approval={approval} />
                  </span>
                  <small>
                    {outcomeText(
                      approval,
                      changesBetween(approval.input, approval.editedInput).length,
                      me?.id,
                    )}{" "}
                    <UndoMark approval={approval} />
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
