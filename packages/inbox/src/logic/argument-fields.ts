import type { JsonSchema } from "../api/approval.js";
import { isRecord, isUnder } from "./paths.js";

/** One row of the arguments. */
export interface ArgumentField {
  /** Dotted path from the top; empty where the arguments are no object. */
  path: string;
  keys: string[];
  value: unknown;
  schema: JsonSchema | undefined;
  editable: boolean;
  hidden: boolean;
}

/** What the API sends in place of what the reader may not see. */
export const hiddenValue = "[hidden]";

const deepest = 4;

/** The arguments row by row: objects are opened, lists of plain values and what is very deep count as one value. */
export function argumentFields(
  input: unknown,
  { schema, editable }: { schema: JsonSchema | null | undefined; editable: readonly string[] },
): ArgumentField[] {
  const rows = (value: unknown, keys: string[], own: JsonSchema | undefined): ArgumentField[] => {
    const path = keys.join(".");
    const opened = isRecord(value) && Object.keys(value).length > 0 && keys.length < deepest;
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

/** A field's name for people: "order id" of `orderId` and `order_id`; the parents of a nested one in front. */
export function fieldWords(keys: readonly string[]): string {
  return keys
    .map((key) => {
      const words = key.replace(/[_-]+/g, " ").replace(/([a-z\d])([A-Z])/g, "$1 $2");
      return words.toLowerCase();
    })
    .join(" › ");
}
