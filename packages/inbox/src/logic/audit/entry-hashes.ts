import { canonicalJson } from "@countersign/policy/internal/shared/canonical-json";
import type { AuditEntry } from "../../api/records.js";

/** The result of recomputing the hashes of audit entries. */
export type HashCheck =
  | { state: "intact"; entries: number }
  | { state: "broken"; position: number }
  | { state: "unknown" };

/** Recomputes each entry's hash in this browser. `unknown` if the browser cannot compute hashes. */
export async function checkHashes(entries: readonly AuditEntry[]): Promise<HashCheck> {
  // Browsers provide it only over TLS and on localhost.
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
