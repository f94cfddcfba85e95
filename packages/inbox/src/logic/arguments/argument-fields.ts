import type { JsonSchema } from "./json-schema.js";
import { isRecord, isUnder } from "./paths.js";

/** One row of the argument table. */
export interface ArgumentField {
  /** Dotted path; empty if the arguments are not an object. */
  path: string;
  keys: string[];
  value: unknown;
  schema: JsonSchema | undefined;
  editable: boolean;
  hidden: boolean;
}

/** What the API sends in place of a value that is hidden from the reader. */
export const hiddenValue = "[hidden]";

const maxDepth = 4;

/** The arguments as rows. Nested objects become rows of their own, up to a depth; arrays stay one value. */
export function argumentFields(
  input: unknown,
  { schema, editable }: { schema: JsonSchema | null | undefined; editable: readonly string[] },
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
    return [{ path, keys, value, schema: own, editable: keys.length > 0 && isUnder(path, editable), hidden }];
  };
  return rows(input, [], schema ?? undefined);
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
