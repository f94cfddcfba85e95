import { systemLog } from "./stop/stops.js";
import type { Transact, Transactions, Work } from "./transact.js";

/** The transactions of the verbs, by what they concern. */
export interface Scopes extends Transactions {
  forTenant(tenantId: string): Transact;
  /** `null` for what concerns all tenants. */
  inScopeOf<T>(tenantId: string | null, work: Work<T>): Promise<T>;
  /** The log of a tenant, or the system's own. */
  inLogOf<T>(tenantId: string, work: Work<T>): Promise<T>;
}

export function scopesOf(transactions: Transactions): Scopes {
  const { inTenant, asSystem } = transactions;
  const inScopeOf: Scopes["inScopeOf"] = (tenantId, work) =>
    tenantId === null ? asSystem(work) : inTenant(tenantId, work);
  return {
    ...transactions,
    forTenant: (tenantId) => (work) => inTenant(tenantId, work),
    inScopeOf,
    inLogOf: (tenantId, work) => inScopeOf(tenantId === systemLog ? null : tenantId, work),
  };
}
