import { type ArgumentNames, argumentName, argumentNames, isAmount } from "@countersign/policy/display";
import { keyWords } from "@countersign/policy/internal/display/argument-name";
import type { JsonSchema } from "./json-schema.js";
import { isRecord, isUnder } from "./paths.js";

/** One row of the argument table. */
export interface ArgumentField {
  /** Dotted path; empty if the arguments are not an object. */
  path: string;
  keys: string[];
  /** What people read in place of the path; empty if the path is. */
  name: string;
  value: unknown;
  schema: JsonSchema | undefined;
  /** The unit that the call's rules give this argument. */
  unit: string | undefined;
  editable: boolean;
  hidden: boolean;
}

/** What the API sends in place of a value that is hidden from the reader. */
export const hiddenValue = "[hidden]";

const maxDepth = 4;

interface ArgumentFacts {
  schema: JsonSchema | null | undefined;
  editable: readonly string[];
  /** By the path of their argument. */
  units?: Readonly<Record<string, string>>;
  /** What the rules call them, by their path. */
  names?: ArgumentNames;
}

/** The arguments as rows. Nested objects become rows of their own, up to a depth; arrays stay one value. */
export function argumentFields(
  input: unknown,
  { schema, editable, units = {}, names = {} }: ArgumentFacts,
): ArgumentField[] {
  const rows = (
    value: unknown,
    keys: string[],
    own: JsonSchema | undefined,
  ): Omit<ArgumentField, "name">[] => {
    const path = keys.join(".");
    const opened = isRecord(value) && Object.keys(value).length > 0 && keys.length < maxDepth;
    if (opened && !(keys.length > 0 && isUnder(path, editable))) {
      return Object.entries(value).flatMap(([key, item]) =>
        rows(item, [...keys, key], own?.properties?.[key]),
      );
    }
    const hidden = value === hiddenValue;
    const unit = unitAt(units, keys);
    const isEditable = keys.length > 0 && isUnder(path, editable);
    return [{ path, keys, value, schema: own, unit, editable: isEditable, hidden }];
  };
  const fields = rows(input, [], schema ?? undefined);
  const labels = fieldLabels(
    fields.map(({ keys }) => keys),
    names,
  );
  return fields.map((field, at) => ({ ...field, name: labels[at] ?? "" }));
}

/** The unit that rules give an argument. */
export function unitAt(units: Readonly<Record<string, string>>, keys: readonly string[]): string | undefined {
  const path = keys.join(".");
  return Object.hasOwn(units, path) ? units[path] : undefined;
}

/** The unit behind a number: that of the rules, or else the currency that the arguments name beside an amount. */
export function unitOf(
  { keys, unit }: Pick<ArgumentField, "keys" | "unit">,
  input: unknown,
): string | undefined {
  if (unit !== undefined || !isAmount(keys.at(-1) ?? "")) return unit;
  const around = keys
    .slice(0, -1)
    .reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), input);
  const named = isRecord(around) ? around.currency : undefined;
  return typeof named === "string" && /^[A-Z]{3}$/.test(named) ? named : undefined;
}

/** A field's label: what the rules call it, or else "order id" for `orderId` and `order_id`, with the parents in front. */
export function fieldLabel(keys: readonly string[], names: ArgumentNames = {}): string {
  return argumentName(keys, names, keyWords) ?? keys.map(keyWords).join(" › ");
}

/** The labels of all fields of a call, so that no two of them look alike because of a rule. */
export function fieldLabels(fields: readonly (readonly string[])[], names: ArgumentNames): string[] {
  const named = argumentNames(fields, names, keyWords);
  return fields.map((keys, at) => named[at] ?? keys.map(keyWords).join(" › "));
}
