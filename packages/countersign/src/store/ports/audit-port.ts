// Do not import Drizzle here: public declarations include this file.

import type { AuditType } from "@countersign/policy/internal/display/audit-types";
import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../../approval/approval.js";
import type { AuditEntry, AuditVerification } from "../../audit/audit-entry.js";
import type { AuditHead } from "../../audit/audit-head.js";
import type { AuditExportFormat } from "../../audit/export-lines.js";
import type { PublishedType } from "../../audit/published-types.js";
import type { ReportedType } from "../../channel/reported-types.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";

export interface AuditFilter {
  tenantId: string;
  approvalId?: string | undefined;
  /** Only entries about approvals that this principal may see. */
  principal?: Principal | undefined;
  /** Everything after this position. */
  after?: number | undefined;
  limit?: number | undefined;
}

/** Positions in a tenant's log. */
export interface LogPart {
  firstPosition: number;
  lastPosition: number;
}

/**
 * A change: the tenant's log has grown, somebody has opened or closed a call, a stop was engaged or released, or a
 * thread has a new message or status.
 */
export type Change =
  /** `missed`: earlier notices of any kind may have been lost. */
  | { kind: "log"; missed?: true }
  | { kind: "viewing"; approvalId: string }
  | { kind: "stops" }
  | { kind: "thread"; threadKey: string };

/** The kind of an audit entry, the error code of a refusal, and how long a decided call was pending. */
export interface Recorded {
  type: string;
  code: string | null;
  /** Why a call was withdrawn. */
  cause: string | null;
  waitedMs: number | null;
  /** False for a repeated refusal, which is counted but not logged again. */
  written: boolean;
}

/** A transition whose public event may not have been sent. */
export interface PublishedTransition {
  position: number;
  type: PublishedType;
  actorId: string | null;
  at: Date;
  data: Record<string, unknown>;
  approvalId: string;
  requestId: string;
  threadId: string | null;
  toolName: string;
  digest: string;
  risk: Approval["risk"];
  /** The event that the host waits for, if it saved the approval. */
  awaitedEventId: string | null;
  /** As the row is now: a decision and its reason, or why the call was withdrawn. */
  decidedAt: Date | null;
  decisionReason: string | null;
  withdrawalCause: WithdrawalCause | null;
}

/**
 * The oldest of a tenant's unpublished transitions. `upTo` is the position up to which they reach; `null` if there are
 * none left.
 */
export interface Unpublished {
  upTo: number | null;
  transitions: PublishedTransition[];
}

export type Unsubscribe = () => Promise<void>;

/** The audit log, and notices that it has grown. */
export interface AuditPort {
  /** Writes an audit entry that concerns no approval. Its data must not hold arguments. */
  recordNote(entry: {
    tenantId: string;
    type: Exclude<AuditType, ReportedType>;
    data: Record<string, unknown>;
  }): Promise<void>;
  /** The audit entries of one approval, oldest first. */
  auditTrail(tenantId: string, approvalId: string): Promise<AuditEntry[]>;
  /** Entries of a tenant's log, oldest first. */
  listAudit(filter: AuditFilter): Promise<AuditEntry[]>;
  /** Tenants that have a log, or should have one. */
  auditedTenants(): Promise<string[]>;
  /** Position of a tenant's newest audit entry; 0 if there is none. */
  auditPosition(tenantId: string): Promise<number>;
  /**
   * Recomputes a tenant's chain. `anchor` is a head that was saved earlier, out of reach of database users. With a
   * reader, each sealed segment must have a valid signature.
   */
  verifyAudit(tenantId: string, anchor?: AuditHead, reader?: EvidenceReader): Promise<AuditVerification>;
  /** Streams a tenant's log, or a part of it, line by line, each with its line break. CSV begins with a header. */
  exportAudit(
    tenantId: string,
    options: { format: AuditExportFormat } & Partial<LogPart>,
  ): AsyncIterable<string>;
  /** Calls `observer` with what this process has recorded, after each commit. Returns a function that stops it. */
  observe(observer: (recorded: Recorded) => void): () => void;
  /** Tenants whose logs have grown since their events were last published. */
  unpublishedTenants(limit: number): Promise<string[]>;
  /** The transitions of a tenant that were not published, oldest first. */
  readUnpublished(tenantId: string, limit: number): Promise<Unpublished>;
  /** Records that a tenant's transitions up to this position were published. */
  markPublished(tenantId: string, upTo: number): Promise<void>;
  /** Calls `listener` with the tenants of transitions to publish, after each commit of this process. */
  onTransitions(listener: (tenantIds: readonly string[]) => void): () => void;
  /**
   * Calls `onChange` when something of the tenant has changed in any process, and when notices may have been missed. A
   * notice carries no data: read the log from your last position.
   */
  subscribe(tenantId: string, onChange: (change: Change) => void): Promise<Unsubscribe>;
}
