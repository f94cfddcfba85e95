import type { Approval } from "../api/approval.js";
import { Icon } from "../components/icon.js";
import type { Editing } from "../decide/use-editing.js";
import { exactTime } from "../logic/wording/exact-time.js";
import { words } from "../words/words.js";

/** When effects, checks and limits were looked at, and that they are looked at again: in one line for all of them. */
export function MethodNote({ approval, editing }: { approval: Approval; editing: Editing }) {
  const { preview, checks, counts, verdict, status, createdAt, editedInput } = approval;
  if (preview === null && checks.length === 0 && counts.length === 0) return null;
  const edited = editing.on || editing.changes.length > 0 || editedInput !== null;
  const mayStart = ["proposed", "pending", "approved"].includes(status);
  if (mayStart && verdict === "manual" && !edited) return null;
  const { again, ofOriginal, asOf } = words.detail.facts.method;
  return (
    <p className="cs-hint cs-method">
      <Icon name="info" />
      <span>
        {edited && `${ofOriginal} `}
        {mayStart ? again : asOf(exactTime(createdAt))}
      </span>
    </p>
  );
}
