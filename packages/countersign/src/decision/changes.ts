import { isPlainObject } from "../approval/tool-input.js";

/** One field that an edit changed. A value that is absent on one side is `undefined` there. */
export interface FieldChange {
  /** Dotted path; the keys of objects only, a list counts as one value. */
  field: string;
  from: unknown;
  to: unknown;
}

/** What differs between two sets of arguments, field by field, in the order of the first. */
export function changesBetween(before: unknown, after: unknown, path: readonly string[] = []): FieldChange[] {
  if (isPlainObject(before) && isPlainObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => changesBetween(own(before, key), own(after, key), [...path, key]));
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ field: path.join("."), from: before, to: after }];
}

/** True when one of the opened paths means the field or something that holds it; `*` stands for any one key. */
export function isOpened(field: string, opened: readonly string[]): boolean {
  const parts = field.split(".");
  return opened.some((path) => {
    const wanted = path.split(".");
    return wanted.length <= parts.length && wanted.every((key, index) => key === "*" || key === parts[index]);
  });
}

/** What the model reads about an edit, so that it does not propose the original call again. */
export function describeChanges(changes: readonly FieldChange[]): string {
  const words = changes.map(({ field, from, to }) => `${field} from ${brief(from)} to ${brief(to)}`);
  return `A person approved this call with changed arguments: ${words.join("; ")}. It ran with the changed arguments only. Do not repeat the original call.`;
}

const longestValue = 200;

function brief(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
