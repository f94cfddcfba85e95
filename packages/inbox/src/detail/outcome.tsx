import { useState } from "react";
import type { Approval } from "../api/approval.js";
import { SafeText } from "../components/safe-text.js";
import { ResultSentence } from "../components/sentence.js";
import { usePrinting } from "../data/browser/use-printing.js";
import { isRecord } from "../logic/arguments/paths.js";
import { answerGiven } from "../logic/questions/answer-given.js";
import { exactTime } from "../logic/wording/exact-time.js";
import { Changes } from "../values/argument-changes.js";
import { Value } from "../values/argument-value.js";
import { words } from "../words/words.js";
import { Part } from "./part.js";

/** The decision and the result of a call. */
export function Outcome({ approval }: { approval: Approval }) {
  const { decision, editedInput, response, outcome, status, startedAt } = approval;
  if (status === "pending" || status === "proposed") return null;
  const nothing =
    !decision?.reason && editedInput === null && response === null && (outcome ?? null) === null;
  if (nothing && !startedAt) return null;
  const texts = words.detail.outcome;
  return (
    <Part className="cs-outcome" title={texts.title}>
      <dl className="cs-terms">
        {decision?.reason && (
          <div>
            <dt>{texts.reason}</dt>
            <dd>
              <Value name="reason" value={decision.reason} />
            </dd>
          </div>
        )}
        {editedInput !== null && (
          <div>
            <dt>{texts.changes}</dt>
            <dd>
              <Changes
                before={approval.input}
                after={editedInput}
                units={approval.units}
                names={approval.names}
              />
            </dd>
          </div>
        )}
        {startedAt && (
          <div>
            <dt>{texts.started}</dt>
            <dd>{exactTime(startedAt)}</dd>
          </div>
        )}
        {response !== null && <Answer approval={approval} />}
        {outcome !== undefined && outcome !== null && (
          <div>
            <dt>{texts.result}</dt>
            <dd>
              <Result approval={approval} value={resultOf(outcome)} />
            </dd>
          </div>
        )}
      </dl>
    </Part>
  );
}

/** The result in the words of its rule, with the raw one behind a fold; the raw one where there are no such words. */
function Result({ approval, value }: { approval: Approval; value: unknown }) {
  const printing = usePrinting();
  const [open, setOpen] = useState(false);
  const raw = <Value name="result" value={value} />;
  if (approval.resultSummary === null) return raw;
  return (
    <>
      <p className="cs-result">
        <ResultSentence approval={approval} />
      </p>
      <details
        className="cs-raw-result"
        open={open || printing}
        onToggle={(event) => {
          if (!printing) setOpen(event.currentTarget.open);
        }}
      >
        <summary>{words.detail.outcome.rawResult}</summary>
        {(open || printing) && raw}
      </details>
    </>
  );
}

/** What a person answered or entered in place of the tool. */
function Answer({ approval }: { approval: Approval }) {
  const parts = answerGiven(approval) ?? [
    { name: "response", label: words.detail.outcome.answer, value: approval.response },
  ];
  return parts.map(({ label, ...part }) => (
    <div key={part.name}>
      <dt>
        <SafeText text={label} />
      </dt>
      <dd>
        <Value {...part} />
      </dd>
    </div>
  ));
}

/** The tool's result or error. */
function resultOf(outcome: unknown): unknown {
  if (!isRecord(outcome)) return outcome;
  return outcome.data ?? outcome.error ?? outcome;
}
