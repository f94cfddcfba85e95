import { Link } from "wouter";
import { countText, useCounts } from "../data/approvals/use-counts.js";
import { type ListName, listNames, searchOf } from "../logic/lists/view.js";
import { words } from "../words/words.js";

/** Links to the reader's lists, each with the number of its calls. Only the first is shown without calls. */
export function ListTabs({ current }: { current: ListName }) {
  const { data } = useCounts();
  const counts = data?.lists;
  return (
    <nav className="cs-list-tabs" aria-label={words.lists.lists}>
      {listNames.map((name) => {
        const count = counts?.[name];
        if (name !== "for_you" && name !== current && !count) return null;
        return (
          <Link
            key={name}
            href={`/${searchOf({ list: name, text: "" })}`}
            data-list={name}
            aria-current={name === current ? "page" : undefined}
          >
            {words.lists.titles[name]}
            {count !== undefined && count > 0 && <span className="cs-count">{countText(count)}</span>}
          </Link>
        );
      })}
    </nav>
  );
}
