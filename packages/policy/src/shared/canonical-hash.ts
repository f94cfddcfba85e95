import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical-json.js";
import { engineJson } from "./engine-text.js";

/** SHA-256 (hex) of the canonical JSON (RFC 8785) of any JSON value. */
export function hashCanonical(value: unknown): string {
  const canonical = canonicalJson(value);
  if (canonical === undefined) throw new TypeError("Only JSON values can be hashed");
  return createHash("sha256").update(canonical).digest("hex");
}

/**
 * The one text of a value and of everything that an engine makes of it: canonical JSON (RFC 8785) of what JSON keeps of the
 * value. An engine sends a step's output back with sorted keys, without `undefined`, with dates as texts and with U+FFFD in
 * place of unpaired surrogates, while the request that ran the step may go on with the value itself.
 */
function carriedText(value: unknown): string {
  const json: string | undefined = JSON.stringify(value);
  return json === undefined ? "" : (canonicalJson(JSON.parse(engineJson(json))) ?? "");
}

/** Whether an engine would make the same of both values. Never compare with a step's output in another way. */
export function isSameCarried(one: unknown, other: unknown): boolean {
  return carriedText(one) === carriedText(other);
}

/**
 * Derives a short id that is the same on every replay: `prefix_` and 22 characters of a SHA-256 hash. It takes values, never
 * their JSON text, which depends on how an object was written.
 */
export function derivedId(prefix: string, ...values: unknown[]): string {
  const hash = createHash("sha256").update(carriedText(values)).digest("base64url");
  return `${prefix}_${hash.slice(0, 22)}`;
}
