import type { Store as OpaqueStore } from "./opaque-store.js";
import type { ApprovalPort } from "./ports/approval-port.js";
import type { AuditPort } from "./ports/audit-port.js";
import type { DatabasePort } from "./ports/database-port.js";
import type { DeliveryPort } from "./ports/delivery-port.js";
import type { EnginePort } from "./ports/engine-port.js";
import type { EvidencePort } from "./ports/evidence-port.js";
import type { GrantPort } from "./ports/grant-port.js";
import type { HostPort } from "./ports/host-port.js";
import type { InsightPort } from "./ports/insight-port.js";
import type { PushPort } from "./ports/push-port.js";
import type { ReadingPort } from "./ports/reading-port.js";
import type { RequestPort } from "./ports/request-port.js";
import type { StopPort } from "./ports/stop-port.js";
import type { ThreadPort } from "./ports/thread-port.js";

/**
 * The port to everything that Countersign stores. It has verbs instead of rows: each changes states by one conditional
 * update on the database's time, so that no caller can skip a rule. Every failure is a `CountersignError` without
 * parameters. The public API shows it as `OpaqueStore`.
 */
export interface Store
  extends OpaqueStore,
    DatabasePort,
    RequestPort,
    EnginePort,
    ApprovalPort,
    ReadingPort,
    InsightPort,
    EvidencePort,
    GrantPort,
    StopPort,
    AuditPort,
    ThreadPort,
    HostPort,
    PushPort,
    DeliveryPort {
  /**
   * Verbs of another package, on the same transactions and with the same errors. `maintenance.verbs` knows the type of the
   * scopes, which is Drizzle's.
   */
  withVerbs<Verbs extends object>(make: (scopes: object) => Verbs): Verbs;
}

/** The same store, with the verbs that only Countersign itself calls. */
export function storeVerbs(store: OpaqueStore): Store {
  return store as Store;
}
