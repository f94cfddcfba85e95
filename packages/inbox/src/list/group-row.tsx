import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";

interface GroupRowProps {
  id: string;
  approvals: readonly Approval[];
  tabIndex: 0 | -1;
  selected: boolean;
  onSelect: (selected: boolean) => void;
}

/** The heading of several calls of one conversation. */
export function GroupRow({ id, approvals, tabIndex, selected, onSelect }: GroupRowProps) {
  const requesters = new Set(
    approvals.map(({ requesterId, agentName }) => requesterId ?? agentName ?? "agent"),
  );
  return (
    <div className="cs-group-row">
      <span className="cs-row-source">
        {approvals.length} calls of one conversation · {[...requesters].join(", ")}
      </span>
      <Button
        tone="quiet"
        tabIndex={tabIndex}
        data-row={id}
        aria-pressed={selected}
        onClick={() => onSelect(!selected)}
      >
        {selected ? "Selected" : `Select ${approvals.length}`}
      </Button>
    </div>
  );
}
