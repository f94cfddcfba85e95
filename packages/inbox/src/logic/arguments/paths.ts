/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether one of the paths is the field or a parent of it. `*` matches any one key. */
export function isUnder(field: string, paths: readonly string[]): boolean {
  const parts = field.split(".");
  return paths.some((path) => {
    const wanted = path.split(".");
    return wanted.length <= parts.length && wanted.every((key, index) => key === "*" || key === parts[index]);
  });
}

/** The value at a path; `undefined` if there is none. */
export function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
}

/** A copy of the value with another value at a path. */
export function withValueAt(value: unknown, path: readonly string[], next: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return next;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      String(index) === key ? withValueAt(item, rest, next) : item,
    );
  }
  const record = isRecord(value) ? value : {};
  const below = Object.hasOwn(record, key) ? record[key] : undefined;
  return { ...record, [key]: withValueAt(below, rest, next) };
}
