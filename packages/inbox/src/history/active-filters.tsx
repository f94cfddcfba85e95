import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { filterLabel, otherFilters, withFilter } from "../logic/lists/history-query.js";
import { words } from "../words/words.js";

interface ActiveFiltersProps {
  /** The search with the filters. */
  text: string;
  onText: (text: string) => void;
  /** Moves the focus elsewhere, because the last button goes away. */
  onLast: () => void;
}

/** The filters of a search that have no button of their own, each with a button that removes it. */
export function ActiveFilters({ text, onText, onLast }: ActiveFiltersProps) {
  const active = otherFilters(text).filter(({ filter }) => filter !== "is");
  if (active.length === 0) return null;
  const remove = (button: HTMLButtonElement, removed: string) => {
    const { nextElementSibling: next, previousElementSibling: previous } = button;
    const neighbour = [next, previous].find((element) => element instanceof HTMLButtonElement);
    if (neighbour) neighbour.focus();
    else onLast();
    onText(removed);
  };
  return (
    <fieldset className="cs-filters">
      <legend className="cs-visually-hidden">{words.history.filters.label}</legend>
      {active.map(({ filter, value }) => (
        <button
          key={filter}
          type="button"
          className="cs-chip"
          title={words.history.filters.remove}
          onClick={(event) => remove(event.currentTarget, withFilter(text, filter, value))}
        >
          <span className="cs-visually-hidden">{words.history.filters.removes} </span>
          <SafeText text={filterLabel({ filter, value })} />
          <Icon name="close" />
        </button>
      ))}
    </fieldset>
  );
}
