import { isPlainObject } from "./tool-input.js";

/** What stands in place of a value that is hidden from whoever reads. */
export const hiddenValue = "[hidden]";

/**
 * The arguments with the values at some paths hidden. A path names keys of objects from the top; `*` stands for any
 * one key or any item of a list, and what lies below a hidden field is hidden with it.
 */
export function redact(value: unknown, paths: readonly string[]): unknown {
  if (paths.length === 0) return value;
  return redactAt(
    value,
    paths.map((path) => path.split(".")),
  );
}

function redactAt(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.some((path) => path.length === 0)) return hiddenValue;
  if (Array.isArray(value)) return value.map((item, index) => redactAt(item, below(paths, String(index))));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, redactAt(item, below(paths, key))]),
  );
}

/** An edit made by somebody who could not see everything, with the hidden values as they were. */
export function restoreHidden(edited: unknown, original: unknown, paths: readonly string[]): unknown {
  return restoreAt(
    edited,
    original,
    paths.map((path) => path.split(".")),
  );
}

function restoreAt(edited: unknown, original: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.length === 0) return edited;
  if (edited === hiddenValue && paths.some((path) => path.length === 0)) return original;
  if (Array.isArray(edited) && Array.isArray(original)) {
    return edited.map((item, index) => restoreAt(item, original[index], below(paths, String(index))));
  }
  if (!isPlainObject(edited) || !isPlainObject(original)) return edited;
  return Object.fromEntries(
    Object.entries(edited).map(([key, item]) => [
      key,
      restoreAt(item, Object.hasOwn(original, key) ? original[key] : undefined, below(paths, key)),
    ]),
  );
}

function below(paths: readonly (readonly string[])[], key: string): (readonly string[])[] {
  return paths.filter(([first]) => first === "*" || first === key).map(([, ...rest]) => rest);
}
