import { isSameCarried } from "@countersign/policy/internal/shared/canonical-hash";
import { cutText } from "@countersign/policy/internal/shared/engine-text";
import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";

/** One field that an edit changed. An absent value is `undefined`. */
export interface FieldChange {
  /** Dotted path. It consists of object keys only: a list counts as one value. */
  field: string;
  from: unknown;
  to: unknown;
}

/** The fields that differ between two sets of arguments, in the order of the first. */
export function changesBetween(before: unknown, after: unknown, path: readonly string[] = []): FieldChange[] {
  if (isPlainObject(before) && isPlainObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => changesBetween(own(before, key), own(after, key), [...path, key]));
  }
  if (isSameCarried(before, after)) return [];
  return [{ field: path.join("."), from: before, to: after }];
}

/** The note for the model about an edit, so that it does not propose the original call again. */
export function describeChanges(changes: readonly FieldChange[]): string {
  const words = changes.map(({ field, from, to }) => `${field} from ${brief(from)} to ${brief(to)}`);
  return `A person approved this call with changed arguments: ${words.join("; ")}. It ran with the changed arguments only. Do not repeat the original call.`;
}

const maxValueLength = 200;

function brief(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > maxValueLength ? `${cutText(text, maxValueLength)}…` : text;
}

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
