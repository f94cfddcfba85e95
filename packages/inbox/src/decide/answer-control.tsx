import { useId } from "react";
import { SafeText } from "../components/safe-text.js";
import type { AnswerField } from "../logic/questions/answer-form.js";
import { words } from "../words/words.js";
import { TypedNumber } from "./typed-number.js";

interface AnswerControlProps {
  field: AnswerField;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}

/** One field of a question's form. */
export function AnswerControl({ field, value, problem, onChange }: AnswerControlProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const note = problem ?? field.description;
  const common = {
    id,
    name: field.name,
    required: field.required,
    "aria-invalid": problem ? true : undefined,
    "aria-describedby": note ? noteId : undefined,
  };
  if (field.control === "choice")
    return <Choice field={field} value={value} problem={problem} onChange={onChange} />;
  return (
    <div className="cs-answer-field" data-control={field.control}>
      <label htmlFor={id}>
        <SafeText text={field.label} />
        {!field.required && <small> · {words.decide.optional}</small>}
      </label>
      {field.control === "checkbox" ? (
        <input
          {...common}
          required={false}
          type="checkbox"
          checked={value === "true"}
          onChange={(event) => onChange(String(event.target.checked))}
        />
      ) : field.control === "long" ? (
        <textarea
          {...common}
          className="cs-input"
          rows={3}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <input
          {...common}
          className="cs-input"
          type={field.inputType}
          inputMode={field.control === "number" ? "decimal" : undefined}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {note && (
        <small id={noteId} className={problem ? "cs-problem" : undefined}>
          <SafeText text={note} />
        </small>
      )}
      {field.control === "number" && (
        <small role="status">
          <TypedNumber text={value} name="" />
        </small>
      )}
    </div>
  );
}

function Choice({ field, value, problem, onChange }: AnswerControlProps) {
  const id = useId();
  return (
    <fieldset className="cs-answer-field" aria-describedby={problem ? id : undefined}>
      <legend>
        <SafeText text={field.label} />
        {!field.required && <small> · {words.decide.optional}</small>}
      </legend>
      {field.options.map((option) => (
        <label key={option.value} className="cs-choice">
          <input
            type="radio"
            name={field.name}
            value={option.value}
            checked={value === option.value}
            onChange={() => onChange(option.value)}
          />
          <span>
            <SafeText text={option.label} />
          </span>
        </label>
      ))}
      {problem && (
        <small id={id} className="cs-problem">
          {problem}
        </small>
      )}
    </fieldset>
  );
}
