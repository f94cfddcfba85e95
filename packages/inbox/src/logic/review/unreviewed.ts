import type { Approval, TextFlag } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { type ArgumentField, argumentFields } from "../arguments/argument-fields.js";
import { schemaOf } from "../arguments/json-schema.js";
import { isQuestion } from "../wording/sentence.js";
import { effectPlace, effectsPlace, isEffectPlace } from "./effect-places.js";
import { isFlagOf } from "./flag-text.js";
import { foldableText, foldOf } from "./folded-text.js";
import { nothingReviewed, type Reviewed } from "./reviewed.js";

/** What the reader has not reviewed, by path. */
export interface Unreviewed {
  folds: string[];
  warnings: string[];
  below: string[];
}

/** The place of warnings that belong to no argument, such as a warning about the name of the tool. */
export const elsewhere = "elsewhere";

/** The flags about the call, by the place where they are shown. */
export function flagsByPlace(
  { flags, flagsTruncated }: Pick<Approval, "flags" | "flagsTruncated">,
  fields: readonly ArgumentField[],
): Map<string, TextFlag[]> {
  const found = new Map<string, TextFlag[]>();
  for (const flag of flags) {
    if (/^(editedInput|response|effects)\b/.test(flag.path)) continue;
    const field = fields.find(({ keys }) => isFlagOf(flag.path, keys));
    const place = field ? field.path : elsewhere;
    found.set(place, [...(found.get(place) ?? []), flag]);
  }
  if (flagsTruncated && !found.has(elsewhere)) found.set(elsewhere, []);
  return found;
}

/** The flags about what the call would change. */
export function flagsOfEffects({ flags }: Pick<Approval, "flags">): TextFlag[] {
  return flags.filter(({ path }) => /^effects\b/.test(path));
}

/**
 * What the reader has not reviewed: folded values, warnings, and arguments and effects that were not scrolled to. Arguments in
 * `changed` are the reader's own and need no review.
 */
export function unreviewedOf(
  approval: Approval,
  reviewed: Reviewed | undefined,
  changed: ReadonlySet<string> = new Set(),
): Unreviewed {
  if (isQuestion(approval)) return { folds: [], warnings: [], below: [] };
  const now = reviewed?.digest === approval.digest ? reviewed : nothingReviewed(approval.digest);
  const { input, editable } = approval;
  const fields = argumentFields(input, { schema: schemaOf(approval), editable });
  const own = fields.filter(({ path }) => !changed.has(path));
  const effects = approval.preview?.effects ?? [];
  const folds = [...own.filter(isFolded).map(({ path }) => path), ...effects.flatMap(foldsOf)];
  const warnings = [
    ...flagsByPlace(approval, fields).keys(),
    ...(flagsOfEffects(approval).length > 0 ? [effectsPlace] : []),
  ];
  const places = [...own.map(({ path }) => path), ...effects.map((_, index) => effectPlace(index))];
  return {
    folds: folds.filter((place) => !now.unfolded.has(place)),
    warnings: warnings.filter((place) => !now.checked.has(place) && !changed.has(place)),
    below: places.filter((place) => !now.reached.has(place)),
  };
}

/** Whether a value is long, so that only its beginning and its end are shown at first. */
export function isFolded({ keys, value, schema, hidden }: ArgumentField): boolean {
  if (hidden) return false;
  return isFoldedText(foldableText(keys.at(-1) ?? "", value, schema));
}

function isFoldedText(text: string | undefined): boolean {
  return text !== undefined && foldOf(text) !== undefined;
}

/** The places of an effect's folded values. */
function foldsOf(effect: NonNullable<Approval["preview"]>["effects"][number], index: number): string[] {
  return (["before", "after"] as const)
    .filter((side) => isFoldedText(foldableText(effect.target, effect[side])))
    .map((side) => effectPlace(index, side));
}

/** Whether nothing is left to review. */
export function isReviewed({ folds, warnings, below }: Unreviewed): boolean {
  return folds.length + warnings.length + below.length === 0;
}

/** The same as text: "2 long values not opened". */
export function unreviewedText({ folds, warnings, below }: Unreviewed): string[] {
  const effects = below.filter(isEffectPlace);
  const texts = words.values.unreviewed;
  const found = [
    { text: texts.folds, count: folds.length },
    { text: texts.warnings, count: warnings.length },
    { text: texts.values, count: below.length - effects.length },
    { text: texts.effects, count: effects.length },
  ];
  return found.flatMap(({ text, count }) => (count === 0 ? [] : [text(count)]));
}
