import type { Store } from "countersign";
import { maintenance } from "countersign/internal/maintenance";
import { forgetPerson, keptOf } from "./forget-person.js";
import { pruneBatch } from "./prune-batch.js";
import { retainedTenants } from "./retained-tenants.js";
import type { RetentionVerbs } from "./retention-port.js";
import { deleteSealed, sealablePart, sealPart } from "./seal-audit.js";

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
