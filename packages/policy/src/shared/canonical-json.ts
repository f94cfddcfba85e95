import canonicalize from "canonicalize";

/**
 * Canonical JSON (RFC 8785): one text for equal values. `undefined` for what JSON has no text for. The library is a part of the built
 * package, because it can only be imported: in a project of CommonJS, what loads TypeScript there requires everything.
 *
 * @throws Error for a circular value, for `NaN` and infinities, and for an unpaired surrogate.
 */
export function canonicalJson(value: unknown): string | undefined {
  return canonicalize(value);
}
