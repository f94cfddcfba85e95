import { inQuotes } from "@countersign/policy/display";
import type { Approval, ResolutionOutcome } from "../api/approval.js";
import { Button } from "../components/button.js";
import { ErrorNotice } from "../components/error-notice.js";
import { Heading } from "../components/heading.js";
import { useDraft } from "../data/approvals/use-draft.js";
import { usePeopleAction } from "../data/approvals/use-people-action.js";
import { useMe } from "../data/people/use-me.js";
import { isApprover } from "../logic/decisions/is-approver.js";
import { exactTime } from "../logic/wording/exact-time.js";
import { words } from "../words/words.js";

const outcomes: readonly ResolutionOutcome[] = ["done", "failed", "rerun"];

/** An interrupted call: what is known, and what a person found out about it. */
export default function Interrupted({ approval }: { approval: Approval }) {
  const me = useMe().data?.principal;
  const act = usePeopleAction(approval.id);
  const [draft, changeDraft] = useDraft(approval.id);
  const { resolution, startedAt, handlerKind, quorum } = approval;
  const texts = words.detail.interrupted;
  if (resolution) {
    return (
      <section className="cs-interrupted" data-resolved aria-labelledby="interrupted">
        <Heading step={1} id="interrupted">
          {texts.resolved[resolution.outcome]}
        </Heading>
        <p>
          {resolution.resolvedBy}, {exactTime(resolution.resolvedAt)}
          {resolution.note && `: ${inQuotes(resolution.note, words.display)}`}
        </p>
      </section>
    );
  }
  return (
    <section className="cs-interrupted" aria-labelledby="interrupted">
      <Heading step={1} id="interrupted">
        {texts.title}
      </Heading>
      <p>{texts.happened(startedAt === null ? undefined : exactTime(startedAt))}</p>
      <p>{texts.advice}</p>
      {isApprover(approval, me) && (
        <>
          <label className="cs-panel-word">
            <span>
              {texts.note} <small>{texts.optional}</small>
            </span>
            <input
              className="cs-input"
              autoComplete="off"
              maxLength={2000}
              value={draft.note}
              onChange={(event) => changeDraft({ note: event.target.value })}
            />
          </label>
          <ul className="cs-resolutions">
            {outcomes
              .filter((outcome) => outcome !== "rerun" || (handlerKind === "idempotent" && quorum === 1))
              .map((outcome) => (
                <li key={outcome}>
                  <Button
                    blocked={act.isPending ? texts.saving : undefined}
                    onClick={() =>
                      act.mutate({
                        resolution: { outcome, ...(draft.note.trim() && { note: draft.note.trim() }) },
                      })
                    }
                  >
                    {texts.outcomes[outcome].verb}
                  </Button>
                  <small>{texts.outcomes[outcome].means}</small>
                </li>
              ))}
          </ul>
        </>
      )}
      {act.isError && <ErrorNotice error={act.error} />}
    </section>
  );
}
