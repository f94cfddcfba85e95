import type { Approval } from "../api/approval.js";
import type { Review } from "../data/approvals/use-review.js";
import type { Editing } from "../decide/use-editing.js";
import { isQuestion } from "../logic/wording/sentence.js";
import { ArgumentTable } from "./arguments/argument-table.js";
import { CodePreview } from "./arguments/code-preview.js";
import { Counts } from "./arguments/counts.js";
import { Effects } from "./arguments/effects.js";
import { SafetyChecks } from "./arguments/safety-checks.js";
import { MethodNote } from "./method-note.js";

interface FactsProps {
  approval: Approval;
  editing: Editing;
  review: Review;
  /** Whether the reader can approve, and so can mark warnings as checked. */
  approves: boolean;
  raw: boolean;
  onRaw: (raw: boolean) => void;
}

/** What would run, in the order in which people need it: the arguments, what they would change, and what was looked at. */
export function Facts({ approval, editing, review, approves, raw, onRaw }: FactsProps) {
  return (
    <>
      {!isQuestion(approval) && (
        <ArgumentTable
          approval={approval}
          editing={editing}
          review={review}
          approves={approves}
          raw={raw}
          onRaw={onRaw}
        />
      )}
      <Effects approval={approval} review={review} approves={approves} />
      <SafetyChecks approval={approval} />
      <Counts approval={approval} />
      <MethodNote approval={approval} editing={editing} />
      <CodePreview approval={approval} />
    </>
  );
}
