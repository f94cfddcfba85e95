import { createSharedResources } from "@countersign/policy/internal/shared/shared-resources";
import type { Approval } from "../approval/approval.js";
import type { AuditEntry } from "../audit/audit-entry.js";
import type { AuditFilter, Change } from "../store/ports/audit-port.js";
import type { Store } from "../store/store.js";

/** The changes of one tenant, and reads about them that all followers share. */
export interface TenantChanges {
  position(): Promise<number>;
  entries(filter: Omit<AuditFilter, "tenantId">): Promise<AuditEntry[]>;
  approval(id: string): Promise<Approval | undefined>;
  unfollow(): Promise<void>;
}

/** Follows the changes of a tenant. */
export type FollowTenant = (tenantId: string, onChange: (change: Change) => void) => Promise<TenantChanges>;

/**
 * Lets all streams of a tenant share one subscription, and one query for each change: without that, a change costs as
 * many queries as there are open streams.
 */
export function createTenantChanges(store: Store): FollowTenant {
  const share = createSharedResources((tenantId) => openTenant(store, tenantId));
  return async (tenantId, onChange) => {
    const { resource, leave } = await share(tenantId);
    resource.listeners.add(onChange);
    return {
      ...resource,
      async unfollow() {
        resource.listeners.delete(onChange);
        await leave();
      },
    };
  };
}

async function openTenant(store: Store, tenantId: string) {
  const listeners = new Set<(change: Change) => void>();
  const underWay = new Map<string, Promise<unknown>>();
  /** Joins a read that is under way, unless something has changed since it began. */
  const joined = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const known = underWay.get(key) as Promise<T> | undefined;
    if (known) return known;
    const reading = read().finally(() => {
      if (underWay.get(key) === reading) underWay.delete(key);
    });
    underWay.set(key, reading);
    return reading;
  };
  const close = await store.subscribe(tenantId, (change) => {
    underWay.clear();
    for (const listener of listeners) listener(change);
  });
  return {
    listeners,
    position: () => joined("position", () => store.auditPosition(tenantId)),
    entries: (filter: Omit<AuditFilter, "tenantId">) =>
      joined(JSON.stringify(filter), () => store.listAudit({ tenantId, ...filter })),
    approval: (id: string) => joined(`approval ${id}`, () => store.getApproval(tenantId, id)),
    close,
  };
}
