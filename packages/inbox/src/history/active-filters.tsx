import { Icon } from "../components/icon.js";
import { SafeText } from "../components/safe-text.js";
import { filterLabel, historyQueryOf, withFilter } from "../logic/lists/history-query.js";

interface ActiveFiltersProps {
  /** The search with the filters. */
  text: string;
  onText: (text: string) => void;
}

/** The filters of a search as buttons, each of which removes its filter. */
export function ActiveFilters({ text, onText }: ActiveFiltersProps) {
  const active = historyQueryOf(text).active.filter(({ filter }) => filter !== "is");
  if (active.length === 0) return null;
  return (
    <fieldset className="cs-filters">
      <legend className="cs-visually-hidden">Active filters</legend>
      {active.map(({ filter, value }) => (
        <button
          key={filter}
          type="button"
          className="cs-chip"
          title="Remove this filter"
          onClick={() => onText(withFilter(text, filter, value))}
        >
          <span className="cs-visually-hidden">Remove filter: </span>
          <SafeText text={filterLabel({ filter, value })} />
          <Icon name="close" />
        </button>
      ))}
    </fieldset>
  );
}
