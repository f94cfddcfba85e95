import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { bulkPlan } from "../logic/decisions/bulk-rules.js";
import { words } from "../words/words.js";

interface SelectionBarProps {
  selected: readonly Approval[];
  /** Selects all that the list has. Undefined once they are. */
  onAll: (() => void) | undefined;
  onClear: () => void;
  onDecide: () => void;
}

/** The number of selected approvals, and a button that decides them together. */
export default function SelectionBar({ selected, onAll, onClear, onDecide }: SelectionBarProps) {
  const reviewed = useValue(useInbox().reviewed);
  const plan = bulkPlan(selected, reviewed);
  return (
    <div className="cs-selection-bar" role="toolbar" aria-label={words.lists.selection.label}>
      <span className="cs-selection-words" role="status">
        <strong>{words.lists.selection.selected(selected.length)}</strong>
        <span>{words.lists.selection.opened(plan.opened, selected.length)}</span>
      </span>
      {onAll && (
        <Button tone="quiet" command="selectAll" onClick={onAll}>
          {words.lists.selection.all}
        </Button>
      )}
      <Button tone="quiet" onClick={onClear}>
        {words.lists.selection.clear}
      </Button>
      <Button tone="primary" command="batch" onClick={onDecide}>
        {words.lists.selection.review}
      </Button>
    </div>
  );
}
