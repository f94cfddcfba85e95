import type { Journal } from "../journal.js";
import type { ApprovalRow, Rows } from "./rows.js";

/** The text that the model must read in the result of a call with this final state. */
const words: Record<string, string[]> = {
  denied: ["denied it", "does not allow"],
  expired: ["expired"],
  withdrawn: ["withdrawn"],
  responded: ["by hand"],
  // The call was interrupted, or the one process that saw its end knows that it ran.
  interrupted: ["may or may not have run", "carried out", "no luck"],
  executed: ["carried out"],
  failed: ["no luck"],
};

function wordsFor({ status, withdrawal_cause: cause }: ApprovalRow): string[] | undefined {
  return cause === "effects_changed" ? ["no longer what it was approved for"] : words[status];
}

/**
 * Whether the row was written by an attempt of the proposal whose answer the engine did not take. A delayed request may
 * repeat the step under another policy file after the call was allowed and ran: nobody was asked, and the row ends with the run.
 */
function isOfAnotherAttempt(
  { starts }: Journal,
  ref: string,
  { status, announced_at }: ApprovalRow,
): boolean {
  const own = starts.filter(({ input }) => input.ref === ref);
  const ranAllowed =
    own.length > 0 && own.every(({ tool, approvalId }) => tool === "adjust" && approvalId === null);
  return status === "withdrawn" && announced_at === null && ranAllowed;
}

/** Checks that each call's result reaches the model in the run's next request, and states the outcome of the call. */
export function judgeTold(journal: Journal, { runs, approvals }: Rows): void {
  const completed = new Set(runs.filter(({ status }) => status === "Completed").map(({ run }) => run));
  for (const { ref, run, turn } of journal.calls.values()) {
    if (!completed.has(run)) continue;
    const told = journal.told.get(ref)?.content;
    const approval = approvals.find(({ input_json }) => input_json.ref === ref);
    const about = { approvalId: approval?.id, ref, runId: approval?.run_id };
    if (!journal.asked.has(`${run}.${turn + 1}`) || told === undefined) {
      journal.violate({
        name: "result-not-told",
        invariant: "I6",
        message: `The model was never told what became of ${ref}, though run ${run} ended`,
        ...about,
      });
      continue;
    }
    const expected = approval && wordsFor(approval);
    const isWrong = expected !== undefined && !expected.some((word) => told.includes(word));
    if (approval && isWrong && !isOfAnotherAttempt(journal, ref, approval)) {
      journal.violate({
        name: "wrong-result-told",
        invariant: "I10",
        message: `${ref} is ${approval.status}, and the model was told: ${told.slice(0, 300)}`,
        ...about,
      });
    }
    if (told.includes("carried out") && !journal.starts.some(({ input }) => input.ref === ref)) {
      journal.violate({
        name: "wrong-result-told",
        invariant: "I10",
        message: `The model was told that ${ref} ran, and it never started`,
        ...about,
      });
    }
  }
}
