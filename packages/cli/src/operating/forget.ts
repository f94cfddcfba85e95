import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Countersign } from "countersign";
import { storeVerbs } from "countersign/internal";
import { addTo } from "./prune.js";
import type { KeptData, PruneCursor, RemovedRows } from "./retention-port.js";
import { retentionVerbs } from "./retention-verbs.js";

export interface ForgetOptions {
  tenantId: string;
  /** The principal's id, as in sessions and runs. */
  personId: string;
  /** The actor, for the audit log. @default none: the log shows no actor */
  by?: string;
}

/** What was deleted of a person's data, and what was kept. */
export interface ForgetReport {
  /** Deleted rows by table. */
  removed: RemovedRows;
  kept: KeptData;
}

const batchSize = 500;
const clockToleranceMs = 60_000;

/**
 * Deletes a person's data in one tenant: their finished requests with arguments, outcomes and decisions; their threads
 * with all messages; preferences and keys. It keeps pending and running calls, their decisions about other people's
 * calls, signed evidence until it expires, and the audit log. Run it again when the pending calls are over.
 *
 * @param countersign The instance, or its store.
 * @throws CountersignError `invalid_option` if an id is empty.
 */
export async function forget(
  countersign: Pick<Countersign, "store">,
  options: ForgetOptions,
): Promise<ForgetReport> {
  const { tenantId, personId, by = null } = options;
  for (const [field, value] of Object.entries({ tenantId, personId })) {
    if (typeof value === "string" && value !== "") continue;
    throw new CountersignError("invalid_option", `${field}: must not be empty`);
  }
  const { store } = countersign;
  const retention = retentionVerbs(store);
  const removed: RemovedRows = {};
  // Includes what has only just ended: this process merely estimates the database's time.
  const before = new Date((await storeVerbs(store).now()).getTime() + clockToleranceMs);
  for (const kind of ["requests", "threads"] as const) {
    let after: PruneCursor | undefined;
    do {
      const batch = { tenantId, kind, before, personId, after, limit: batchSize, dryRun: false, by };
      const pruned = await retention.pruneBatch(batch);
      addTo(removed, pruned.removed);
      after = pruned.next;
    } while (after);
  }
  addTo(removed, await retention.forgetPerson({ tenantId, personId, by }));
  return { removed, kept: await retention.keptOf(tenantId, personId) };
}
