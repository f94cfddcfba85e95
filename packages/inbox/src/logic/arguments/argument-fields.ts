import { isAmount } from "@countersign/policy/display";
import type { JsonSchema } from "./json-schema.js";
import { isRecord, isUnder } from "./paths.js";

/** One row of the argument table. */
export interface ArgumentField {
  /** Dotted path; empty if the arguments are not an object. */
  path: string;
  keys: string[];
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
}

/** The arguments as rows. Nested objects become rows of their own, up to a depth; arrays stay one value. */
export function argumentFields(
  input: unknown,
  { schema, editable, units = {} }: ArgumentFacts,
): ArgumentField[] {
  const rows = (value: unknown, keys: string[], own: JsonSchema | undefined): ArgumentField[] => {
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
  return rows(input, [], schema ?? undefined);
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

/** A field's label: "order id" for `orderId` and `order_id`, with the parents in front. */
export function fieldLabel(keys: readonly string[]): string {
  return keys
    .map((key) => {
      const text = key.replace(/[_-]+/g, " ").replace(/([a-z\d])([A-Z])/g, "$1 $2");
      return text.toLowerCase();
    })
    .join(" › ");
}
