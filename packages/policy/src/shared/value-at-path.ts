/**
 * The value at a dotted path (`customer.email`, `items.0.name`). Reads own properties only, so that no path reaches
 * inherited ones.
 */
export function ownField(value: unknown, path: string): { found: true; value: unknown } | { found: false } {
  let at = value;
  for (const key of path.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return { found: false };
    at = (at as Record<string, unknown>)[key];
  }
  return { found: true, value: at };
}
