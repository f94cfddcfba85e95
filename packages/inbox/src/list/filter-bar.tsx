import { type ReactNode, useId } from "react";
import { countText, useFacets } from "../data/approvals/use-counts.js";
import { type FilterName, type ListView, queryOf, toggled } from "../logic/lists/view.js";
import { words } from "../words/words.js";

interface FilterBarProps {
  view: ListView;
  onText: (text: string) => void;
}

/** The most values of one kind that have a button. Others can be typed. */
const maxValues = 6;

const ends = ["15m", "1h"] as const;

/** Buttons that narrow a list down. Each sets or removes a part of the search, such as "risk:high". */
export default function FilterBar({ view, onText }: FilterBarProps) {
  const { data } = useFacets(view, true);
  const { risk, tool, from, ends: endsWithin, assigned } = queryOf(view.text);
  const chip = (filter: FilterName, value: string, label: string, pressed: boolean, count?: number) => (
    <button
      key={`${filter} ${value}`}
      type="button"
      className="cs-chip"
      aria-pressed={pressed}
      onClick={() => onText(toggled(view.text, filter, value))}
    >
      {label}
      {count !== undefined && <small>{countText(count)}</small>}
    </button>
  );
  const several = <Value,>(values: readonly Value[] = []) => (values.length > 1 ? values : []);
  const { filterGroups, endsSoon, assignedToMe, forRequester, filters } = words.lists;
  return (
    <fieldset className="cs-filters">
      <legend className="cs-visually-hidden">{filters}</legend>
      <Group label={filterGroups.risk}>
        {several(data?.risks).map(({ value, count }) =>
          chip("risk", value, words.lists.row.risk[value], risk?.join() === value, count),
        )}
      </Group>
      <Group label={filterGroups.time}>
        {ends.map((value) => chip("ends", value, endsSoon[value], endsWithin === value))}
      </Group>
      <Group label={filterGroups.tool}>
        {several(data?.tools)
          .slice(0, maxValues)
          .map(({ value, label, count }) => chip("tool", value, label ?? value, tool === value, count))}
      </Group>
      <Group label={filterGroups.people}>
        {[
          chip("assigned", "me", assignedToMe, assigned === "me"),
          ...several(data?.requesters)
            .slice(0, maxValues)
            .map(({ value, count }) => chip("from", value, forRequester(value), from === value, count)),
        ]}
      </Group>
    </fieldset>
  );
}

/** The buttons about one thing, beside its name. Nothing without buttons. */
function Group({ label, children }: { label: string; children: readonly ReactNode[] }) {
  const id = useId();
  if (children.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend cannot stand beside its fields
    <div className="cs-filter-group" role="group" aria-labelledby={id}>
      <span id={id}>{label}</span>
      <div className="cs-chips">{children}</div>
    </div>
  );
}
