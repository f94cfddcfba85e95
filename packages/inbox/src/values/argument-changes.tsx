import { changesBetween } from "../logic/arguments/argument-changes.js";
import { fieldLabel } from "../logic/arguments/argument-fields.js";
import { words } from "../words/words.js";
import { Value } from "./argument-value.js";

/** The changed fields: old and new value. */
export function Changes({ before, after }: { before: unknown; after: unknown }) {
  return (
    <ul className="cs-changes" aria-label={words.values.changes}>
      {changesBetween(before, after).map(({ keys, from, to }) => (
        <li key={keys.join(".")}>
          <span className="cs-change-name">{fieldLabel(keys)}</span>
          <del>
            <span className="cs-visually-hidden">{words.values.was} </span>
            <Value name={keys.at(-1) ?? ""} value={from} />
          </del>
          <ins>
            <span className="cs-visually-hidden">{words.values.willBe} </span>
            <Value name={keys.at(-1) ?? ""} value={to} />
          </ins>
        </li>
      ))}
    </ul>
  );
}
