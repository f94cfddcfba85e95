import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { bulkPlan } from "../logic/decisions/bulk-rules.js";

interface SelectionBarProps {
  selected: readonly Approval[];
  onClear: () => void;
  onDecide: () => void;
}

/** The number of selected approvals, and a button that decides them together. */
export function SelectionBar({ selected, onClear, onDecide }: SelectionBarProps) {
  const reviewed = useValue(useInbox().reviewed);
  const plan = bulkPlan(selected, reviewed);
  return (
    <div className="cs-selection-bar" role="toolbar" aria-label="Selected">
      <span className="cs-selection-words" role="status">
        <strong>{selected.length} selected</strong>
        <span>
          {plan.opened} of {selected.length} opened by you
        </span>
      </span>
      <Button tone="quiet" onClick={onClear}>
        Clear
      </Button>
      <Button tone="primary" shortcut="B" onClick={onDecide}>
        Review together
      </Button>
    </div>
  );
}
