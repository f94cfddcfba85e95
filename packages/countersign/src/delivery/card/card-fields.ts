import { argumentNames } from "@countersign/policy/internal/display/argument-name";
import { numberText } from "@countersign/policy/internal/display/number-text";
import { visibleText } from "@countersign/policy/internal/display/visible-text";
import type { StoredTerms } from "@countersign/policy/internal/policy/rules/term-table";
import { hiddenValue } from "@countersign/policy/internal/redaction/hidden-text";
import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import type { CardField } from "../../channel/channel.js";

const maxDepth = 4;
const maxFields = 50;
const maxField = 2_000;
const maxPath = 300;
/** All texts together, so that a card stays a message that people can read. */
const maxTotal = 12_000;

/** The arguments as rows of plain text. */
export interface CardFields {
  fields: CardField[];
  /** Paths of values of which at least a part is hidden. */
  hidden: string[];
  /** Whether arguments are shortened or left out. */
  cut: boolean;
}

/** The arguments of a call, as visible in a channel, as rows. Nested objects become rows of their own, up to a depth. */
export function cardFields(
  input: unknown,
  { units = {}, names = {} }: Partial<Pick<StoredTerms, "units" | "names">> = {},
): CardFields {
  const fields: CardField[] = [];
  const shown: (readonly string[])[] = [];
  const hidden: string[] = [];
  let cut = false;
  let room = maxTotal;
  const add = (value: unknown, keys: readonly string[]) => {
    const path = keys.join(".");
    const name = visibleText(path, maxPath);
    const unit = typeof value === "number" && Object.hasOwn(units, path) ? ` ${units[path]}` : "";
    const whole = textOf(value, keys.at(-1) ?? "") + unit;
    if (whole.includes(hiddenValue)) hidden.push(name);
    const most = Math.max(0, Math.min(maxField, room));
    cut ||= fields.length >= maxFields || !isWhole(whole, most) || !isWhole(path, maxPath);
    if (fields.length >= maxFields || most === 0) return;
    const text = visibleText(whole, most);
    room -= name.length + text.length;
    fields.push({ name, text });
    shown.push(keys);
  };
  const visit = (value: unknown, keys: readonly string[]) => {
    if (isPlainObject(value) && Object.keys(value).length > 0 && keys.length < maxDepth) {
      for (const [key, item] of Object.entries(value)) visit(item, [...keys, key]);
    } else add(value, keys);
  };
  const isEmpty = isPlainObject(input) && Object.keys(input).length === 0;
  if (!isEmpty && input !== null) visit(input, []);
  const labels = argumentNames(shown, names);
  return {
    fields: fields.map((field, at) => {
      const label = labels[at];
      return label === undefined ? field : { ...field, label: visibleText(label, maxPath) };
    }),
    hidden,
    cut,
  };
}

/** Whether a text is shown without being cut. */
function isWhole(text: string, max: number): boolean {
  return visibleText(text, Number.POSITIVE_INFINITY).length <= max;
}

function textOf(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  return typeof value === "number" ? numberText(name, value) : JSON.stringify(value);
}
