import { type ChangeEvent, type RefObject, useId, useState } from "react";
import { Button } from "../components/button.js";
import { ErrorNotice } from "../components/error-notice.js";
import { FilledText } from "../components/filled-text.js";
import { useFacets } from "../data/approvals/use-counts.js";
import { maxReasonLength, useEngageStop } from "../data/approvals/use-stops.js";
import { coveredCount, emptyStopDraft, type StopDraft, stopOfDraft } from "../logic/decisions/stop-draft.js";
import { affectedText } from "../logic/wording/stop-text.js";
import { words } from "../words/words.js";

const forYou = { list: "for_you", text: "" } as const;

/** A form that stops calls. Nothing is chosen at first, and every call is stopped only after a word was typed. */
export function NewStop({ first }: { first: RefObject<HTMLInputElement | null> }) {
  const engage = useEngageStop();
  const facets = useFacets(forYou, true).data;
  const [draft, setDraft] = useState(emptyStopDraft);
  const id = useId();
  const { stop, problem } = { stop: undefined, ...stopOfDraft(draft) };
  const affected = facets && coveredCount(draft, facets);
  const field = (name: "tool" | "word" | "reason") => ({
    id: `${id}-${name}`,
    className: "cs-input",
    autoComplete: "off",
    value: draft[name],
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => setDraft({ ...draft, [name]: target.value }),
  });
  const choice = (scope: StopDraft["scope"], text: string) => (
    <label className="cs-choice">
      <input
        ref={scope === "tool" ? first : undefined}
        type="radio"
        name={`${id}-scope`}
        checked={draft.scope === scope}
        onChange={() => setDraft({ ...draft, scope })}
      />
      <span>{text}</span>
    </label>
  );
  const texts = words.stops.draft;
  return (
    <form
      className="cs-form"
      aria-label={texts.label}
      onSubmit={(event) => {
        event.preventDefault();
        if (stop && !engage.isPending) engage.mutate(stop, { onSuccess: () => setDraft(emptyStopDraft) });
      }}
    >
      <fieldset className="cs-answer-field">
        <legend>{texts.what}</legend>
        {choice("tool", texts.tool)}
        {choice("all", texts.all)}
      </fieldset>
      {draft.scope === "tool" && (
        <label className="cs-panel-word" htmlFor={`${id}-tool`}>
          <span>
            {texts.toolName} <small>· {texts.toolHint}</small>
          </span>
          <input {...field("tool")} list={`${id}-tools`} maxLength={200} />
          <datalist id={`${id}-tools`}>
            {facets?.tools.map(({ value }) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        </label>
      )}
      {draft.scope === "all" && (
        <label className="cs-panel-word" htmlFor={`${id}-word`}>
          <span>
            <FilledText
              text={texts.typeWord}
              parts={{ word: <code className="cs-mono">{texts.everything}</code> }}
            />
          </span>
          <input {...field("word")} />
        </label>
      )}
      {draft.scope && (
        <label className="cs-panel-word" htmlFor={`${id}-reason`}>
          <span>
            {texts.reason} <small>· {texts.reasonHint}</small>
          </span>
          <input {...field("reason")} maxLength={maxReasonLength} />
        </label>
      )}
      <p className="cs-dialog-words" role="status">
        {affected !== undefined && affectedText(affected)}
      </p>
      {engage.isError && <ErrorNotice error={engage.error} />}
      <div className="cs-decision-buttons">
        <span className="cs-spacer" />
        <Button type="submit" tone="danger" blocked={engage.isPending ? texts.stopping : problem}>
          {draft.scope === "all" ? texts.stopAll : texts.stop}
        </Button>
      </div>
    </form>
  );
}
