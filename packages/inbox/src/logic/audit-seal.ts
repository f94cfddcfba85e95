import type { AuditEntry } from "../api/approval.js";
import { isRecord } from "./paths.js";

/** What was found when the hashes of some entries were computed again. */
export type Seal =
  | { state: "intact"; entries: number }
  | { state: "broken"; position: number }
  | { state: "unknown" };

/** Computes each entry's hash again, in this browser, and compares. Unknown where the browser cannot. */
export async function checkSeal(entries: readonly AuditEntry[]): Promise<Seal> {
  // Browsers offer it only over TLS and on localhost.
  const { subtle } = globalThis.crypto;
  if (subtle === undefined) return { state: "unknown" };
  for (const { hash, ...covered } of entries) {
    const bytes = new TextEncoder().encode(canonicalJson(covered));
    const digest = new Uint8Array(await subtle.digest("SHA-256", bytes));
    const hex = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    if (hex !== hash) return { state: "broken", position: covered.position };
  }
  return { state: "intact", entries: entries.length };
}

/** Canonical JSON (RFC 8785) of a JSON value. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${members.join(",")}}`;
}
