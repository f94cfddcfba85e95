import { type ChangeEvent, type Ref, useId } from "react";
import type { Approval } from "../api/approval.js";
import {
  amountFields,
  type BudgetDraft,
  budgetScopes,
  budgetTimes,
} from "../logic/decisions/budget-draft.js";

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
  const number = { inputMode: "decimal", autoComplete: "off" } as const;
  return (
    <fieldset className="cs-budget">
      <legend>Budget for later calls</legend>
      <p>
        Later calls of {approval.toolName} run without asking, whatever their other arguments are, until the
        total is used. You can revoke this at any time under Grants.
      </p>
      <div>
        {label("amount", "Amount")}
        <select {...field("amount")}>
          {amountFields(approval).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <div>
        {label("total", "Total")}
        <input ref={first} {...number} {...field("total")} />
      </div>
      <div>
        {label("each", "At most each (optional)")}
        <input {...number} {...field("each")} />
      </div>
      <div>
        {label("unit", "Unit (optional)")}
        <input maxLength={20} placeholder="EUR" autoComplete="off" {...field("unit")} />
      </div>
      <div>
        {label("expiresIn", "Time")}
        <select {...field("expiresIn")}>
          {Object.entries(budgetTimes).map(([time, words]) => (
            <option key={time} value={time}>
              {words}
            </option>
          ))}
        </select>
      </div>
      <div>
        {label("scope", "Whose calls")}
        <select {...field("scope")}>
          {budgetScopes(approval).map(({ scope, label: words }) => (
            <option key={scope} value={scope}>
              {words}
            </option>
          ))}
        </select>
      </div>
    </fieldset>
  );
}
