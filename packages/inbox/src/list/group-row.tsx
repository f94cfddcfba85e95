import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { requesterOf } from "../logic/lists/requesters.js";
import { words } from "../words/words.js";

interface GroupRowProps {
  id: string;
  approvals: readonly Approval[];
  tabIndex: 0 | -1;
  /** How many of them can be selected. */
  selectable: number;
  selected: boolean;
  onSelect: (selected: boolean) => void;
}

/** The heading of several calls of one conversation. */
export function GroupRow({ id, approvals, tabIndex, selectable, selected, onSelect }: GroupRowProps) {
  const requesters = new Set(approvals.map(requesterOf));
  const heading = words.lists.group.heading(approvals.length, [...requesters].join(", "));
  return (
    <div className="cs-group-row">
      {selectable > 0 ? (
        <>
          <span className="cs-row-source">{heading}</span>
          <Button
            tone="quiet"
            tabIndex={tabIndex}
            data-row={id}
            aria-pressed={selected}
            onClick={() => onSelect(!selected)}
          >
            {selected ? words.lists.group.selected : words.lists.group.select(selectable)}
          </Button>
        </>
      ) : (
        // The arrow keys come by.
        <span className="cs-row-source" data-row={id} tabIndex={tabIndex}>
          {heading}
        </span>
      )}
    </div>
  );
}
