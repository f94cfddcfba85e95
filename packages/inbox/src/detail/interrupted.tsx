import type { Approval, ResolutionOutcome } from "../api/approval.js";
import { Button } from "../components/button.js";
import { ErrorNotice } from "../components/error-notice.js";
import { useDraft } from "../data/approvals/use-draft.js";
import { usePeopleAction } from "../data/approvals/use-people-action.js";
import { useMe } from "../data/people/use-me.js";
import { isApprover } from "../logic/decisions/is-approver.js";
import { exactTime } from "../logic/wording/exact-time.js";
import { resolutionText } from "../logic/wording/outcome-text.js";

const outcomes: { outcome: ResolutionOutcome; verb: string; means: string }[] = [
  { outcome: "done", verb: "It ran", means: "It took effect. Nothing needs to run again." },
  { outcome: "failed", verb: "It did not run", means: "It had no effect, and it should stay that way." },
  {
    outcome: "rerun",
    verb: "Run it again",
    means: "It had no effect. The same call can run once more.",
  },
];

/** An interrupted call: what is known, and what a person found out about it. */
export default function Interrupted({ approval }: { approval: Approval }) {
  const me = useMe().data?.principal;
  const act = usePeopleAction(approval.id);
  const [draft, changeDraft] = useDraft(approval.id);
  const { resolution, startedAt, handlerKind, quorum } = approval;
  if (resolution) {
    return (
      <section className="cs-interrupted" data-resolved aria-labelledby="interrupted">
        <h2 id="interrupted">Interrupted; {resolutionText[resolution.outcome]}</h2>
        <p>
          {resolution.resolvedBy}, {exactTime(resolution.resolvedAt)}
          {resolution.note && <>: “{resolution.note}”</>}
        </p>
      </section>
    );
  }
  return (
    <section className="cs-interrupted" aria-labelledby="interrupted">
      <h2 id="interrupted">It may or may not have run</h2>
      <p>
        It was approved and started{startedAt && <> at {exactTime(startedAt)}</>}, but its process stopped
        before the result arrived. It was not started again.
      </p>
      <p>
        Check the system that it acts on, then record what you found. The agent was told that the outcome is
        uncertain.
      </p>
      {isApprover(approval, me) && (
        <>
          <label className="cs-panel-word">
            <span>
              What you found <small>· optional</small>
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
              .filter(({ outcome }) => outcome !== "rerun" || (handlerKind === "idempotent" && quorum === 1))
              .map(({ outcome, verb, means }) => (
                <li key={outcome}>
                  <Button
                    blocked={act.isPending ? "Saving what you found" : undefined}
                    onClick={() =>
                      act.mutate({
                        resolution: { outcome, ...(draft.note.trim() && { note: draft.note.trim() }) },
                      })
                    }
                  >
                    {verb}
                  </Button>
                  <small>{means}</small>
                </li>
              ))}
          </ul>
        </>
      )}
      {act.isError && <ErrorNotice error={act.error} />}
    </section>
  );
}
