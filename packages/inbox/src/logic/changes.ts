import { isRecord } from "./paths.js";

/** One field that an edit changed; `undefined` where it is absent on a side. */
export interface FieldChange {
  keys: string[];
  from: unknown;
  to: unknown;
}

/** What differs between two sets of arguments, field by field; nothing where there is no second set. */
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
