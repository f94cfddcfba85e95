import { fieldWords } from "../logic/argument-fields.js";
import { changesBetween } from "../logic/changes.js";
import { Value } from "./value.js";

/** Was and will be, field by field. */
export function Changes({ before, after }: { before: unknown; after: unknown }) {
  return (
    <ul className="cs-changes" aria-label="Changes">
      {changesBetween(before, after).map(({ keys, from, to }) => (
        <li key={keys.join(".")}>
          <span className="cs-change-name">{fieldWords(keys)}</span>
          <del>
            <span className="cs-unseen">was </span>
            <Value name={keys.at(-1) ?? ""} value={from} />
          </del>
          <ins>
            <span className="cs-unseen">will be </span>
            <Value name={keys.at(-1) ?? ""} value={to} />
          </ins>
        </li>
      ))}
    </ul>
  );
}
