import type { Approval } from "../api/approval.js";
import { useIsOver } from "../data/browser/use-now.js";
import { undoMark } from "../logic/wording/undo-text.js";
import { Icon } from "./icon.js";

/** In a row: that the call was undone, or until when the reader may undo it. Renders nothing otherwise. */
export function UndoMark({ approval }: { approval: Approval }) {
  const mark = undoMark(approval, useIsOver(approval.undo?.until ?? null));
  if (mark === undefined) return null;
  return (
    <span className="cs-undo-mark" data-undone={approval.undo?.undoneAt ? true : undefined}>
      <Icon name="undo" />
      {mark}
    </span>
  );
}
