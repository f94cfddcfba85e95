import { argumentName } from "@countersign/policy/display";
import { type ChangeEvent, type Ref, useId } from "react";
import type { Approval } from "../api/approval.js";
import { amountFields, type BudgetDraft, budgetScopes } from "../logic/decisions/budget-draft.js";
import { kindOfCall } from "../logic/wording/call-name.js";
import { words } from "../words/words.js";
import { TypedNumber } from "./typed-number.js";

interface BudgetFieldsProps {
  approval: Approval;
  draft: BudgetDraft;
  onChange: (draft: BudgetDraft) => void;
  /** The first field. */
  first: Ref<HTMLInputElement>;
}

/** How much later calls may spend without asking, for whom and how long. */
export function BudgetFields({ approval, draft, onChange, first }: BudgetFieldsProps) {
  const id = useId();
  const field = (name: keyof BudgetDraft) => ({
    id: `${id}-${name}`,
    className: "cs-input",
    value: draft[name],
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      onChange({ ...draft, [name]: event.target.value }),
  });
  const label = (name: keyof BudgetDraft, text: string) => <label htmlFor={`${id}-${name}`}>{text}</label>;
  const texts = words.values.budget;
  const number = { inputMode: "decimal", autoComplete: "off" } as const;
  return (
    <fieldset className="cs-budget">
      <legend>{texts.title}</legend>
      <p>{texts.explained(kindOfCall(approval))}</p>
      <div>
        {label("amount", texts.amount)}
        <select {...field("amount")}>
          {amountFields(approval).map((name) => (
            <option key={name} value={name}>
              {argumentName([name], approval.names) ?? name}
            </option>
          ))}
        </select>
      </div>
      <div>
        {label("total", texts.total)}
        <input ref={first} {...number} {...field("total")} />
        <small role="status">
          <TypedNumber text={draft.total} name="amount" />
        </small>
      </div>
      <div>
        {label("each", texts.each)}
        <input {...number} {...field("each")} />
        <small role="status">
          <TypedNumber text={draft.each} name="amount" />
        </small>
      </div>
      <div>
        {label("unit", texts.unit)}
        <input maxLength={20} placeholder="EUR" autoComplete="off" {...field("unit")} />
      </div>
      <div>
        {label("expiresIn", texts.time)}
        <select {...field("expiresIn")}>
          {Object.entries(texts.times).map(([time, text]) => (
            <option key={time} value={time}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <div>
        {label("scope", texts.scope)}
        <select {...field("scope")}>
          {budgetScopes(approval).map(({ scope, label: text }) => (
            <option key={scope} value={scope}>
              {text}
            </option>
          ))}
        </select>
      </div>
    </fieldset>
  );
}
