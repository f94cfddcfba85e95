import type { ReactNode } from "react";
import type { Approval } from "../api/approval.js";
import { changesBetween } from "../logic/arguments/argument-changes.js";
import { fieldLabel, unitAt, unitOf } from "../logic/arguments/argument-fields.js";
import { words } from "../words/words.js";
import { Value } from "./argument-value.js";

interface ChangesProps {
  before: unknown;
  after: unknown;
  /** Units of numbers by the path of their argument. */
  units: Approval["units"];
  /** What the rules call the arguments. */
  names: Approval["names"];
}

/** The changed fields: old and new value. */
export function Changes({ before, after, units, names }: ChangesProps) {
  const value = (keys: string[], of: unknown, all: unknown) => (
    <Value name={keys.at(-1) ?? ""} value={of} unit={unitOf({ keys, unit: unitAt(units, keys) }, all)} />
  );
  return (
    <ul className="cs-changes" aria-label={words.values.changes}>
      {changesBetween(before, after).map(({ keys, from, to }) => (
        <li key={keys.join(".")}>
          <span className="cs-change-name">{fieldLabel(keys, names)}</span>
          <Replaced before={value(keys, from, before)} after={value(keys, to, after)} />
        </li>
      ))}
    </ul>
  );
}

/** A value that is struck out, and the one in its place. */
export function Replaced({ before, after }: { before: ReactNode; after: ReactNode }) {
  return (
    <>
      <del>
        <span className="cs-visually-hidden">{words.values.was} </span>
        {before}
      </del>
      <ins>
        <span className="cs-visually-hidden">{words.values.willBe} </span>
        {after}
      </ins>
    </>
  );
}
