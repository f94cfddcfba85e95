import { systemLog } from "./stop/stops.js";
import type { InScopes, Scope, Transact, Transactions, Work } from "./transact.js";
import type { Judge } from "./verb.js";

/** The transactions of the verbs, by what they concern. */
export interface Scopes extends Scoped {
  /** The same for work that only reads. Its result does not wait for the end of the transaction. */
  reading: Scoped;
  /** For verbs of runs that need no transaction. */
  judging: Judge;
  /** For those of a tenant's people. */
  judgingFor(tenantId: string): Judge;
}

interface Scoped extends InScopes {
  forTenant(tenantId: string): Transact;
  /** `null` for what concerns all tenants. */
  inScopeOf<T>(tenantId: string | null, work: Work<T>): Promise<T>;
  /** The log of a tenant, or the system's own. */
  inLogOf<T>(tenantId: string, work: Work<T>): Promise<T>;
}

export function scopesOf(transactions: Transactions, judging: (scope: Scope) => Judge): Scopes {
  return {
    ...scoped(transactions),
    reading: scoped(transactions.reading),
    judging: judging("all tenants"),
    judgingFor: (tenantId) => judging({ tenantId }),
  };
}

function scoped({ inTenant, asSystem }: InScopes): Scoped {
  const inScopeOf: Scoped["inScopeOf"] = (tenantId, work) =>
    tenantId === null ? asSystem(work) : inTenant(tenantId, work);
  return {
    inTenant,
    asSystem,
    inScopeOf,
    forTenant: (tenantId) => (work) => inTenant(tenantId, work),
    inLogOf: (tenantId, work) => inScopeOf(tenantId === systemLog ? null : tenantId, work),
  };
}
