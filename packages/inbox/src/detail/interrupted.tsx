import type { Approval, ResolutionOutcome } from "../api/approval.js";
import { Button } from "../components/button.js";
import { ErrorNotice } from "../components/error-notice.js";
import { useDraft } from "../data/use-draft.js";
import { useMe } from "../data/use-me.js";
import { usePeopleAction } from "../data/use-people-action.js";
import { exactTime } from "../logic/exact-time.js";
import { isApprover } from "../logic/is-approver.js";
import { resolutionWords } from "../logic/past-words.js";

const outcomes: { outcome: ResolutionOutcome; verb: string; means: string }[] = [
  { outcome: "done", verb: "It was done", means: "The effect is there; nothing needs to run again." },
  { outcome: "failed", verb: "It was not done", means: "There is no effect, and it should stay that way." },
  {
    outcome: "rerun",
    verb: "Let it run again",
    means: "There is no effect; the same call may be made once more.",
  },
];

/** A call that was cut off: what is known, how to find out the rest, and what was found. */
export default function Interrupted({ approval }: { approval: Approval }) {
  const me = useMe().data?.principal;
  const act = usePeopleAction(approval.id);
  const [draft, changeDraft] = useDraft(approval.id);
  const { resolution, startedAt, handlerKind, quorum } = approval;
  if (resolution) {
    return (
      <section className="cs-interrupted" data-resolved aria-labelledby="interrupted">
        <h2 id="interrupted">It was cut off; {resolutionWords[resolution.outcome]}</h2>
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
        It was approved and started{startedAt && <> at {exactTime(startedAt)}</>}, and its result never came:
        the process was cut off in between. It was not started a second time.
      </p>
      <p>
        Look in the system that it acts on, then say here what you found. The agent was told that it is
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
                    blocked={act.isPending ? "Your finding is on its way" : undefined}
                    onClick={() =>
                      act.mutate({
                        path: "resolution",
                        body: { outcome, ...(draft.note.trim() && { note: draft.note.trim() }) },
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
