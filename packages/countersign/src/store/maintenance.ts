import { auditHash } from "../audit/audit-entry.js";
import { emptyAuditHead } from "../audit/audit-head.js";
import { segmentAfter } from "../audit/audit-segment.js";
import type { EvidenceSigner } from "../evidence/evidence-signer.js";
import { signerOf } from "../evidence/held-signer.js";
import type { Transaction } from "./database.js";
import { timeOf } from "./evidence/evidence.js";
import { type Sealer, withSeals } from "./evidence/sealing.js";
import type { Store as OpaqueStore } from "./opaque-store.js";
import type { Scopes } from "./scopes.js";
import { storeVerbs } from "./store.js";
import { rehearsed, type Work } from "./transact.js";

export type { Transaction };

/** The transactions of verbs that another package makes. */
interface MaintenanceScopes extends Pick<Scopes, "inTenant" | "inLogOf" | "reading"> {
  /** The result of work in a tenant's log, which is rolled back. */
  rehearsed<T>(tenantId: string, work: Work<T>): Promise<T>;
  /** Work in a tenant's log that signs what it writes if there is a signer. */
  sealing<T>(
    tenantId: string,
    signer: EvidenceSigner | undefined,
    work: (tx: Transaction, sealer: Sealer | undefined) => Promise<T>,
  ): Promise<T>;
}

/**
 * Without promise: what other packages of this repository maintain the database with. It is apart from
 * `countersign/internal` because its declarations name types of Drizzle, whose own do not compile without `skipLibCheck`.
 */
export const maintenance = {
  /** Verbs of the caller's own statements. They fail as those of the store do, without people's data. */
  verbs<Verbs extends object>(store: OpaqueStore, make: (scopes: MaintenanceScopes) => Verbs): Verbs {
    return storeVerbs(store).withVerbs((own) => {
      const scopes = own as Scopes;
      const inLog =
        (tenantId: string) =>
        <T>(work: Work<T>) =>
          scopes.inLogOf(tenantId, work);
      return make({
        ...scopes,
        rehearsed: (tenantId, work) => rehearsed(inLog(tenantId), work),
        sealing: (tenantId, signer, work) => withSeals(inLog(tenantId), signer, work),
      });
    });
  },
  signerOf: (instance: object): EvidenceSigner | undefined => signerOf(instance),
  timeOf,
  auditHash,
  emptyAuditHead,
  segmentAfter,
};
