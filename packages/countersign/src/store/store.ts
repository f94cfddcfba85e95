import type { ApprovalPort } from "./approval/approval-port.js";
import type { AuditPort } from "./audit/audit-port.js";
import type { DatabasePort } from "./connection/database-port.js";
import type { DeliveryPort } from "./delivery/delivery-port.js";
import type { EvidencePort } from "./evidence/evidence-port.js";
import type { GrantPort } from "./grant/grant-port.js";
import type { HostPort } from "./host/host-port.js";
import type { Store as OpaqueStore } from "./opaque-store.js";
import type { ReadingPort } from "./reading/reading-port.js";
import type { EnginePort } from "./request/engine-port.js";
import type { RequestPort } from "./request/request-port.js";
import type { RetentionPort } from "./retention/retention-port.js";
import type { StopPort } from "./stop/stop-port.js";
import type { ThreadPort } from "./thread/thread-port.js";

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
    EvidencePort,
    GrantPort,
    StopPort,
    AuditPort,
    ThreadPort,
    HostPort,
    RetentionPort,
    DeliveryPort {}

/** The same store, with the verbs that only Countersign itself calls. */
export function storeVerbs(store: OpaqueStore): Store {
  return store as Store;
}
