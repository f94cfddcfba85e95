import { partText } from "@countersign/policy/display";
import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { unitAt, unitOf } from "../arguments/argument-fields.js";

/** The values in the sentence of a call that an edit has replaced, such as "95 EUR". Empty without one. */
export function requestedValues({
  summaryParts,
  proposedSummaryParts,
  units,
  input,
}: Pick<Approval, "summaryParts" | "proposedSummaryParts" | "units" | "input">): string[] {
  const said = new Set(summaryParts.map((part) => JSON.stringify(part)));
  return (proposedSummaryParts ?? []).flatMap((part) => {
    if ("text" in part || said.has(JSON.stringify(part))) return [];
    const keys = part.path.split(".");
    const unit = part.number === undefined ? undefined : unitOf({ keys, unit: unitAt(units, keys) }, input);
    return [[partText(part, words.display), unit].filter(Boolean).join(" ")];
  });
}
