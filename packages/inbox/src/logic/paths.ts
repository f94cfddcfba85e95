/** True for what JSON calls an object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True when one of the paths means the field or something that holds it; `*` stands for any one key. */
export function isUnder(field: string, paths: readonly string[]): boolean {
  const parts = field.split(".");
  return paths.some((path) => {
    const wanted = path.split(".");
    return wanted.length <= parts.length && wanted.every((key, index) => key === "*" || key === parts[index]);
  });
}

/** The value with another at a dotted path; the original stays as it is. */
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
