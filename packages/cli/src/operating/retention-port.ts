// Do not import Drizzle here: public declarations include this file.

import type { EvidenceSigner } from "countersign/evidence";
import type { AuditSegment } from "countersign/types";

/** In the place of a tenant: stops of all tenants, and their log. */
export const allTenants = "";

/** Kinds of records that are deleted by age, in the order of deletion. */
export const prunedKinds = ["requests", "threads", "grants", "proofs", "stops"] as const;

export type PrunedKind = (typeof prunedKinds)[number];

/** Number of deleted rows by table. */
export type RemovedRows = Record<string, number>;

/** Where the next batch continues. */
export interface PruneCursor {
  at: Date;
  id: string;
}

export interface PruneBatch {
  tenantId: string;
  kind: PrunedKind;
  /** Only records that were over before this time. */
  before: Date;
  /** Only requests of this person, or threads that they own. */
  personId?: string | undefined;
  after?: PruneCursor | undefined;
  limit: number;
  /** Deletes nothing, and reports what would be deleted. */
  dryRun: boolean;
  /** The actor, for the audit log. */
  by: string | null;
}

export interface PrunedBatch {
  removed: RemovedRows;
  /** Where the next batch continues; `undefined` after the last one. */
  next: PruneCursor | undefined;
}

/** A person's remaining data, in rows. */
export interface KeptData {
  /** Their requests that are pending, running, or interrupted and unresolved. */
  requests: number;
  /** Their threads with such calls, or with a run in progress. */
  threads: number;
  /** Other people's calls that they decided. */
  decisions: number;
  /** Votes on other people's calls. */
  votes: number;
  /** Grants that they gave, or that apply to them. */
  grants: number;
  /** Signed evidence of their decisions. */
  proofs: number;
}

/** The beginning of a tenant's log that can be sealed. */
export interface SealablePart {
  firstPosition: number;
  lastPosition: number;
  headHash: string;
}

/** An old entry that cannot be sealed, because its subject still exists. */
export interface HeldEntry {
  position: number;
  type: string;
  approvalId: string | null;
}

export interface Sealable {
  part: SealablePart | undefined;
  /** What ends the part before its time; `undefined` if only the age does. */
  held: HeldEntry | undefined;
}

/** Removal of old data, and of a person's. */
export interface RetentionVerbs {
  /** Tenants that can have something to delete, {@link allTenants} included. */
  retainedTenants(): Promise<string[]>;
  /** Deletes some old, finished records of one kind, with an audit entry. */
  pruneBatch(batch: PruneBatch): Promise<PrunedBatch>;
  /** The part of a tenant's log that is older than a time and whose subjects are deleted. */
  sealablePart(tenantId: string, before: Date): Promise<Sealable>;
  /** Seals a part of the log, signed if there is a signer; `undefined` if another process was faster. */
  sealPart(
    input: { tenantId: string; part: SealablePart; by: string | null },
    signer?: EvidenceSigner,
  ): Promise<AuditSegment | undefined>;
  /** Deletes the oldest sealed entries; returns 0 if there are none. */
  deleteSealed(input: { tenantId: string; limit: number }): Promise<number>;
  /** Deletes the data that concerns a person alone, except requests and threads, with an audit entry. */
  forgetPerson(input: { tenantId: string; personId: string; by: string | null }): Promise<RemovedRows>;
  /** The number of rows that still concern a person. */
  keptOf(tenantId: string, personId: string): Promise<KeptData>;
}
