import { ownField } from "./value-at-path.js";

/**
 * The amount at a path of a call's arguments, such as `amount` or `order.total`; `undefined` if there is no number, or a
 * negative one, which would make room for others.
 */
export function amountAt(input: unknown, path: string): number | undefined {
  const field = ownField(input, path);
  if (!field.found || typeof field.value !== "number") return undefined;
  return Number.isFinite(field.value) && field.value >= 0 ? field.value : undefined;
}
