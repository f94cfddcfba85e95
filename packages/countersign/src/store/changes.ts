import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import type { CountedAs } from "@countersign/policy/internal/policy/counts";
import type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";
import type { HandlerKind } from "../approval/handler-kind.js";
import type { NewAuditEntry } from "./database.js";
import type { StoredHold } from "./ports/stored-hold.js";
import type { Asked, ProposalFacts, Waiting } from "./proposal-asked.js";
import type { KnownName } from "./rows/known-names.js";
import type { JsonRow } from "./rows/row-from-json.js";
import type { approvals, grants } from "./schema.js";

/** What is to be written, provided that all that was judged is still so. One function of the database writes it, or nothing. */
export interface Changes {
  /** Of all that is written. */
  tenantId: string;
  /** When what was judged was read, by the database's clock. @default the time does not matter */
  judgedAt?: Date;
  /** Until when the judgement holds: see {@link validUntil}. */
  validUntil?: Date;
  /** @default no request is judged */
  request?: RequestChange | undefined;
  /** The tenant whose turn of proposals is taken: see `write_changes`. @default none */
  turn?: string | undefined;
  /** A new request with its calls. @default none */
  proposal?: ProposalChange | undefined;
  /** A response whose calls are all allowed, unless its request exists. @default none */
  allowed?: { tenantId: string; runId: string; requestId: string } | undefined;
  /** In the order in which all verbs lock them. */
  approvals: readonly CallChange[];
  /** The engaged stops that were judged: no other one may have been engaged. @default stops do not matter */
  stops?: { tenantId: string; seen: readonly string[] } | undefined;
  /** The proofs that were judged, and when they are used, if they are. @default none */
  evidence?: readonly { id: string; version: string; consumedAt?: Date }[] | undefined;
  /** Rows of signed evidence to write. @default none */
  proofs?: readonly JsonRow[] | undefined;
  /** The grants that must not be revoked, and what is used of them. @default none */
  grants?: readonly (JudgedGrant & (Partial<Spending> | Taking))[] | undefined;
  /** A person's vote, which replaces the one before. @default none */
  vote?: JsonRow | undefined;
  /** A call that is counted anew, from when it is written and behind all others. @default none */
  counted?: { approvalId: string; tenantId: string; rows: readonly CountedAs[] } | undefined;
  /** A grant to write; with a limit, unless its tenant has so many live ones already. @default none */
  newGrant?: { row: JsonRow; limit?: number } | undefined;
  /** People's names to record with a call. Of two for one person, the later one counts. @default none */
  names?: readonly KnownName[] | undefined;
  /** Until when a person puts a call aside. @default nobody does */
  snooze?: JsonRow | undefined;
  /** A call that is no longer put aside, by one person or, without an id, by anybody. @default none */
  snoozeEnds?: { approvalId: string; principalId?: string } | undefined;
  /** The position of the log up to which public events were sent. @default as it is */
  publishedUpTo?: number;
  /** The entries for the log, from which the messages of channels follow. */
  audited: readonly NewAuditEntry[];
}

/** A grant, and the call in whose log it was given, where its revocation would be. */
type JudgedGrant = Pick<typeof grants.$inferSelect, "id" | "tenantId" | "approvalId">;

/** What a call that starts spends of its grant's budget, as decimal text. */
interface Spending {
  spend: string;
  /** What all calls may spend together. */
  total: string;
}

/** What new calls use of a grant that approves them. */
export interface Taking {
  /** Their number. */
  take: number;
  /** How many calls it may approve by the log. @default the log is not asked */
  uses?: number;
  /** What they will spend together, as decimal text. @default the grant has no budget */
  reserve?: string;
  /** What all calls may spend together. */
  total?: string;
  /** Whether what the log says was spent counts as well. */
  byLog?: boolean;
}

/** A new request with its calls, and what it rests on. */
export interface ProposalChange {
  asked: Asked;
  facts: ProposalFacts;
  /** The highest numbers of waiting calls beside which these may wait. @default any number */
  room?: Waiting | undefined;
  request: NewRow;
  calls: readonly (NewRow & { counted: readonly CountedAs[] })[];
}

/** A row to write, by the names of its columns. */
export interface NewRow {
  row: JsonRow;
  /** The columns whose time is when it is written. */
  now: readonly string[];
  /** The number of rows that follow it: it is as many milliseconds older. */
  followed: number;
}

/** A call that was judged, and what to set in its row. With nothing to set, its version still tells others of it. */
export type CallChange = {
  id: string;
  /** @default the row stays as it is, and so does its version */
  set?: ChangedCall;
} & (
  | { version: string }
  /** Only the status must be so. */
  | { status: ApprovalStatus }
);

/** A request that was judged, and what to set in its row. */
export interface RequestChange {
  id: string;
  version: string;
  set: ChangedRequest;
  /** Whether no call of it is open afterwards. @default it does not matter */
  isComplete?: boolean;
}

/** The columns of a request that a verb may set. */
export interface ChangedRequest {
  rounds?: number;
  settledAt?: Date | null;
  /** Whether its run is to be woken, until it answers; or it has answered. */
  wakeUp?: "queued" | "answered";
  /** Seconds after which an unanswered wake-up is sent again. */
  retrySeconds?: number;
}

/** The columns of a call that a verb may set. `apply_changes` has the same list. */
export interface ChangedCall extends Partial<ByPeople> {
  status?: ApprovalStatus;
  announcedAt?: Date;
  expiresAt?: Date;
  extensionsUsed?: number;
  escalationSteps?: number;
  approverRoles?: string[];
  held?: StoredHold | null;
  heldUntil?: Date | null;
  withdrawalCause?: WithdrawalCause;
  handlerKind?: HandlerKind;
  startedBy?: string | null;
  startedAt?: Date;
  /** `now`: when it is written. */
  finishedAt?: Date | "now";
  outcomeJson?: string;
  outcomeToken?: string | null;
  undoId?: string;
  undoneAt?: Date;
}

/** What people decide, delegate and find out. */
type ByPeople = Pick<
  typeof approvals.$inferInsert,
  | "decisionType"
  | "decidedBy"
  | "decidedRoles"
  | "decisionReason"
  | "decidedAt"
  | "responseJson"
  | "editedInputJson"
  | "editedDigest"
  | "argumentsHash"
  | "assigneeId"
  | "assignedBy"
  | "assignedRoles"
  | "assignmentToken"
  | "resolutionOutcome"
  | "resolvedBy"
  | "resolutionNote"
  | "resolvedAt"
>;

/** Milliseconds after which what was read is too old to be written: its time becomes that of the transition. */
const maxAgeMs = 30_000;

/**
 * The end of a judgement: not long after it was read, and before anything becomes due that would change it.
 *
 * @param due Times from which the judgement would be another; what is no time never comes.
 */
export function validUntil(judgedAt: Date, ...due: readonly Date[]): Date {
  const ends = due.map((at) => at.getTime() - 1).filter((end) => !Number.isNaN(end));
  return new Date(Math.min(judgedAt.getTime() + maxAgeMs, ...ends));
}
