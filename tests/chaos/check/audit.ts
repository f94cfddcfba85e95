import type { Journal } from "../journal.js";
import { canonical, sha256 } from "./canonical.js";
import type { AuditRow } from "./rows.js";

/** The states that may follow each state, by the types of audit entries. */
const follows: Record<string, readonly string[]> = {
  "": ["proposed", "notified", "granted", "denied_by_policy", "withdrawn"],
  proposed: ["announced", "withdrawn"],
  announced: ["held", "approved", "edited", "denied", "responded", "expired", "withdrawn"],
  // A held decision was made in time, so its call does not expire.
  held: ["taken_back", "approved", "edited", "denied", "responded", "withdrawn"],
  taken_back: ["held", "approved", "edited", "denied", "responded", "expired", "withdrawn"],
  notified: ["executing", "withdrawn", "expired"],
  approved: ["executing", "withdrawn", "expired"],
  granted: ["executing", "withdrawn", "expired"],
  edited: ["executing", "withdrawn", "expired"],
  executing: ["executed", "failed", "interrupted"],
};
const states = new Set(Object.values(follows).flat());

/** Checks the hash chain of the audit log, computed anew, and the recorded transitions of each approval. */
export function judgeAudit(journal: Journal, audit: readonly AuditRow[]): void {
  const ends = new Map<string, { position: number; hash: string }>();
  const lives = new Map<string, string>();
  for (const entry of audit) {
    const before = ends.get(entry.tenant_id) ?? { position: 0, hash: "0".repeat(64) };
    if (
      entry.position !== before.position + 1 ||
      entry.prev_hash !== before.hash ||
      hashOf(entry) !== entry.hash
    ) {
      journal.violate({
        name: "broken-chain",
        invariant: "I8",
        message: `Entry ${entry.position} of ${entry.tenant_id} does not follow the one before it`,
        approvalId: entry.approval_id ?? undefined,
      });
    }
    ends.set(entry.tenant_id, { position: entry.position, hash: entry.hash });
    const state = entry.type.replace(/^approval\./, "");
    if (entry.approval_id === null || !states.has(state)) continue;
    const was = lives.get(entry.approval_id) ?? "";
    if (!follows[was]?.includes(state)) {
      journal.violate({
        name: "impossible-transition",
        invariant: "I3",
        message: `${entry.approval_id} went from ${was || "nothing"} to ${state}`,
        approvalId: entry.approval_id,
      });
    }
    lives.set(entry.approval_id, state);
  }
}

function hashOf({ tenant_id, position, approval_id, type, actor_id, at, data, prev_hash }: AuditRow): string {
  return sha256(
    canonical({
      tenantId: tenant_id,
      position,
      approvalId: approval_id,
      type,
      actorId: actor_id,
      at: at.toISOString(),
      data,
      prevHash: prev_hash,
    }),
  );
}
