import { createHash } from "node:crypto";
import canonicalize from "canonicalize";

/** SHA-256 (hex) of the canonical JSON (RFC 8785) of any JSON value. */
export function hashCanonical(value: unknown): string {
  const canonical = canonicalize(value);
  if (canonical === undefined) throw new TypeError("Only JSON values can be hashed");
  return createHash("sha256").update(canonical).digest("hex");
}

/** Derives a short id that is the same on every replay: `prefix_` and 22 characters of a SHA-256 hash. */
export function derivedId(prefix: string, ...parts: (string | number)[]): string {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
  return `${prefix}_${hash.slice(0, 22)}`;
}
