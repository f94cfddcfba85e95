import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";
import type { HandlerKind } from "../approval/handler-kind.js";
import type { NewAuditEntry } from "./database.js";

/** What is to be written, provided that all that was judged is still so. One function of the database writes it, or nothing. */
export interface Changes {
  /** When what was judged was read, by the database's clock. @default the time does not matter */
  judgedAt?: Date;
  /** Until when the judgement holds: see {@link validUntil}. */
  validUntil?: Date;
  /** In the order in which all verbs lock them. */
  approvals: readonly CallChange[];
  /** The engaged stops that were judged: no other one may have been engaged. @default stops do not matter */
  stops?: { tenantId: string; seen: readonly string[] } | undefined;
  /** The proofs that are used. @default none */
  evidence?: readonly { id: string; version: string; consumedAt: Date }[] | undefined;
  /** The grants that must not be revoked, and what is spent of them, as decimal text. @default none */
  grants?: readonly ({ id: string } & Partial<Spending>)[] | undefined;
  /** The entries for the log, from which the messages of channels follow. */
  audited: readonly NewAuditEntry[];
}

interface Spending {
  spend: string;
  /** What all calls may spend together. */
  total: string;
}

/** A call that was judged, and what to set in its row. With nothing to set, its version still tells others of it. */
export interface CallChange {
  id: string;
  /** The version that was judged; or else only the status that the call must have. */
  version?: string;
  status?: ApprovalStatus;
  /** @default the row stays as it is, and so does its version */
  set?: ChangedCall;
}

/** The columns that a verb may set. `apply_changes` has the same list. */
export interface ChangedCall {
  status?: ApprovalStatus;
  withdrawalCause?: WithdrawalCause;
  handlerKind?: HandlerKind;
  startedBy?: string | null;
  startedAt?: Date;
  /** `now`: when it is written. */
  finishedAt?: Date | "now";
  outcomeJson?: string;
  outcomeToken?: string | null;
  undoneAt?: Date;
}

/** Milliseconds after which what was read is too old to be written. */
const maxAgeMs = 30_000;

/**
 * The end of a judgement: not long after it was read, and before anything becomes due that would change it.
 *
 * @param due Times from which the judgement would be another.
 */
export function validUntil(judgedAt: Date, ...due: readonly Date[]): Date {
  return new Date(Math.min(judgedAt.getTime() + maxAgeMs, ...due.map((at) => at.getTime() - 1)));
}
