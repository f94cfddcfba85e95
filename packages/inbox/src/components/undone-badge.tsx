import type { Approval } from "../api/approval.js";
import { undoneText } from "../logic/wording/undo-text.js";
import { Icon } from "./icon.js";

/** Says when a call was undone. Renders nothing if it was not. */
export function UndoneBadge({ approval }: { approval: Approval }) {
  if (!approval.undo?.undoneAt) return null;
  return (
    <span className="cs-undo-mark" data-undone>
      <Icon name="undo" />
      {undoneText(approval)}
    </span>
  );
}
