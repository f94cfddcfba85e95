import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { requesterOf } from "../logic/lists/requesters.js";
import { words } from "../words/words.js";

interface GroupRowProps {
  id: string;
  approvals: readonly Approval[];
  tabIndex: 0 | -1;
  selected: boolean;
  onSelect: (selected: boolean) => void;
}

/** The heading of several calls of one conversation. */
export function GroupRow({ id, approvals, tabIndex, selected, onSelect }: GroupRowProps) {
  const requesters = new Set(approvals.map(requesterOf));
  return (
    <div className="cs-group-row">
      <span className="cs-row-source">
        {words.lists.group.heading(approvals.length, [...requesters].join(", "))}
      </span>
      <Button
        tone="quiet"
        tabIndex={tabIndex}
        data-row={id}
        aria-pressed={selected}
        onClick={() => onSelect(!selected)}
      >
        {selected ? words.lists.group.selected : words.lists.group.select(approvals.length)}
      </Button>
    </div>
  );
}
