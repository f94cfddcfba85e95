import type { Logger } from "@countersign/policy/internal/shared/logger";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import { createRepeatableRead } from "@countersign/policy/internal/shared/repeatable-read";
import type { StoreVerbs as Store } from "countersign/internal";

/** A change of an approval that the reader may see. */
export interface VisibleChange {
  approvalId: string;
  /** Type of the audit entry. */
  type: string;
}

/** Entries of the audit log read at once. */
const pageSize = 200;

/**
 * Reports changes of the approvals that a person may see by their current roles, from every process that shares the
 * database. It reports all changes after the returned promise resolves.
 */
export async function followVisibleChanges(
  store: Store,
  { reader, logger }: { reader: () => Principal; logger: Logger },
  onChange: (change: VisibleChange) => void,
): Promise<() => Promise<void>> {
  const { tenantId } = reader();
  let after = await store.auditPosition(tenantId);
  let ended = false;
  const readPages = async (from: number): Promise<number> => {
    const head = await store.auditPosition(tenantId);
    let position = from;
    while (position < head && !ended) {
      const entries = await store.listAudit({
        tenantId,
        principal: reader(),
        after: position,
        limit: pageSize,
      });
      for (const { approvalId, type } of entries) if (approvalId) onChange({ approvalId, type });
      const last = entries.at(-1)?.position ?? head;
      position = entries.length < pageSize ? Math.max(head, last) : last;
    }
    return position;
  };
  const log = createRepeatableRead(
    async () => {
      after = await readPages(after);
    },
    (error) => logger.error("Changes for an MCP client could not be read", { error: nameOfThrown(error) }),
  );
  const unsubscribe = await store.subscribe(tenantId, (change) => {
    if (change.kind === "log") log.read();
  });
  log.read();
  return async () => {
    ended = true;
    log.close();
    await unsubscribe();
  };
}
