import type { Approval } from "../api/approval.js";
import { exactTime } from "../logic/exact-time.js";
import { isRecord } from "../logic/paths.js";
import { Changes } from "./changes.js";
import { Value } from "./value.js";

/** What was decided and what came of it, once it has been. */
export function Outcome({ approval }: { approval: Approval }) {
  const { decision, editedInput, response, outcome, status, startedAt } = approval;
  if (status === "pending" || status === "proposed") return null;
  const nothing =
    !decision?.reason && editedInput === null && response === null && (outcome ?? null) === null;
  if (nothing && !startedAt) return null;
  return (
    <section className="cs-outcome" aria-labelledby="outcome">
      <h2 id="outcome">What came of it</h2>
      <dl className="cs-terms">
        {decision?.reason && (
          <div>
            <dt>Reason given</dt>
            <dd>
              <Value name="reason" value={decision.reason} />
            </dd>
          </div>
        )}
        {editedInput !== null && (
          <div>
            <dt>Changed</dt>
            <dd>
              <Changes before={approval.input} after={editedInput} />
            </dd>
          </div>
        )}
        {startedAt && (
          <div>
            <dt>Started</dt>
            <dd>{exactTime(startedAt)}</dd>
          </div>
        )}
        {response !== null && (
          <div>
            <dt>Answer</dt>
            <dd>
              <Value name="response" value={response} />
            </dd>
          </div>
        )}
        {outcome !== undefined && outcome !== null && (
          <div>
            <dt>Result of the tool</dt>
            <dd>
              <Value name="result" value={resultOf(outcome)} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

/** What the tool gave back, out of the record of how it ended. */
function resultOf(outcome: unknown): unknown {
  if (!isRecord(outcome)) return outcome;
  return outcome.data ?? outcome.error ?? outcome;
}
