import { withSeals } from "../evidence/sealing.js";
import type { PrunedBatch, RetentionPort } from "../ports/retention-port.js";
import { forgetPerson, keptOf } from "../retention/forget-person.js";
import { pruneBatch } from "../retention/prune-batch.js";
import { retainedTenants } from "../retention/retained-tenants.js";
import { deleteSealed, sealablePart, sealPart } from "../retention/seal-audit.js";
import type { Scopes } from "../scopes.js";
import { rehearsed, type Transact, type Work } from "../transact.js";

/** Prunes, seals and forgets. */
export function retentionVerbs({ inTenant, inLogOf, reading }: Scopes): RetentionPort {
  return {
    retainedTenants: () => reading.asSystem(retainedTenants),
    pruneBatch: (batch) => {
      const inLog: Transact = (work) => inLogOf(batch.tenantId, work);
      const work: Work<PrunedBatch> = (tx) => pruneBatch(tx, batch);
      return batch.dryRun ? rehearsed(inLog, work) : inLog(work);
    },
    sealablePart: (tenantId, before) => sealablePart((read) => inLogOf(tenantId, read), tenantId, before),
    sealPart: (input, signer) =>
      withSeals(
        (work) => inLogOf(input.tenantId, work),
        signer,
        (tx, sealer) => sealPart(tx, input, sealer),
      ),
    deleteSealed: (input) => inLogOf(input.tenantId, (tx) => deleteSealed(tx, input)),
    forgetPerson: (input) => inTenant(input.tenantId, (tx) => forgetPerson(tx, input)),
    keptOf: (tenantId, personId) => reading.inTenant(tenantId, (tx) => keptOf(tx, tenantId, personId)),
  };
}
