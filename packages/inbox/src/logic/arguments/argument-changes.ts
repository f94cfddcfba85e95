import { isRecord } from "./paths.js";

/** A changed field. `undefined` if the field is absent before or after. */
export interface FieldChange {
  keys: string[];
  from: unknown;
  to: unknown;
}

/** The fields that differ between two sets of arguments. Empty if `after` is null or undefined. */
export function changesBetween(before: unknown, after: unknown, keys: string[] = []): FieldChange[] {
  if (keys.length === 0 && (after === null || after === undefined)) return [];
  if (isRecord(before) && isRecord(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => changesBetween(own(before, name), own(after, name), [...keys, name]));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ keys, from: before, to: after }];
}

function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
