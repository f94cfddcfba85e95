import { maintenance } from "../maintenance.js";
import type { Store } from "../opaque-store.js";
import type { RetentionVerbs } from "../ports/retention-port.js";
import { forgetPerson, keptOf } from "../retention/forget-person.js";
import { pruneBatch } from "../retention/prune-batch.js";
import { retainedTenants } from "../retention/retained-tenants.js";
import { deleteSealed, sealablePart, sealPart } from "../retention/seal-audit.js";

/** Prunes, seals and forgets. */
export function retentionVerbs(store: Store): RetentionVerbs {
  return maintenance.verbs(store, ({ inTenant, inLogOf, reading, rehearsed, sealing }) => ({
    retainedTenants: () => reading.asSystem(retainedTenants),
    pruneBatch: (batch) =>
      (batch.dryRun ? rehearsed : inLogOf)(batch.tenantId, (tx) => pruneBatch(tx, batch)),
    sealablePart: (tenantId, before) => sealablePart((read) => inLogOf(tenantId, read), tenantId, before),
    sealPart: (input, signer) => sealing(input.tenantId, signer, (tx, sealer) => sealPart(tx, input, sealer)),
    deleteSealed: (input) => inLogOf(input.tenantId, (tx) => deleteSealed(tx, input)),
    forgetPerson: (input) => inTenant(input.tenantId, (tx) => forgetPerson(tx, input)),
    keptOf: (tenantId, personId) => reading.inTenant(tenantId, (tx) => keptOf(tx, tenantId, personId)),
  }));
}
