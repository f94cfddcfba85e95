import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { useInbox } from "../data/inbox-context.js";
import { useValue } from "../data/value-store.js";
import { bulkPlan } from "../logic/bulk-rules.js";

interface SelectionBarProps {
  selected: readonly Approval[];
  onClear: () => void;
  onDecide: () => void;
}

/** How many are selected, and the way to decide them together. */
export function SelectionBar({ selected, onClear, onDecide }: SelectionBarProps) {
  const opened = useValue(useInbox().opened);
  const plan = bulkPlan(selected, opened);
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
      <Button tone="primary" onClick={onDecide}>
        Decide together
      </Button>
    </div>
  );
}
