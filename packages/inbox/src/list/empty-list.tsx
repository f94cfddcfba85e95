import { Link } from "wouter";
import { EmptyState } from "../components/empty-state.js";
import { Sentence } from "../components/sentence.js";
import { UndoMark } from "../components/undo-mark.js";
import { useRecent } from "../data/approvals/use-history.js";
import { useMe } from "../data/people/use-me.js";
import { changesBetween } from "../logic/arguments/argument-changes.js";
import type { ListName } from "../logic/lists/view.js";
import { outcomeText } from "../logic/wording/outcome-text.js";

const texts: Readonly<Record<ListName, { title: string; words: string }>> = {
  for_you: {
    title: "Nothing left to decide",
    words: "New approvals appear here as soon as an agent needs a decision.",
  },
  snoozed: {
    title: "Nothing snoozed",
    words: "Calls that you put aside wait here until their time, for you alone.",
  },
  waiting: {
    title: "Nothing waits for others",
    words: "What you have decided and others must still decide appears here.",
  },
  asked: {
    title: "Nothing asked on your behalf",
    words: "Calls that an agent makes for you wait here for others.",
  },
  uncertain: {
    title: "Nothing uncertain",
    words: "Calls that were interrupted and may have run appear here.",
  },
};

/** Shown if a list has no calls: what it is for, and the latest decisions. */
export function EmptyList({ list }: { list: ListName }) {
  const { data } = useRecent(true);
  const me = useMe().data?.principal;
  return (
    <EmptyState title={texts[list].title}>
      <p>{texts[list].words}</p>
      {me && (
        <p>
          You are signed in as {me.id} ({rolesText(me.roles)}). What only others may see is not listed.
        </p>
      )}
      {data && data.items.length > 0 && (
        <>
          <h3>Recently decided</h3>
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

function rolesText(roles: readonly string[]): string {
  if (roles.length === 0) return "no role";
  return `${roles.length === 1 ? "role" : "roles"} ${roles.join(", ")}`;
}
