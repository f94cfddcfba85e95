import type { Approval, Decision, Resolution, WithdrawalCause } from "../approval/approval.js";
import type { Grant, NewGrant } from "../approval/grant.js";
import type { HandlerKind } from "../approval/handler-kind.js";
import type { ApprovalStatus } from "../approval/status.js";
import type { AuditEntry, AuditHead, AuditVerification } from "../audit/audit-entry.js";
import type { AuditExportFormat } from "../audit/export-lines.js";
import type { Evidence } from "../evidence/check-evidence.js";
import type { EvidenceSigner } from "../evidence/evidence-signer.js";
import type { Risk } from "../policy/rule.js";
import type { Principal } from "../principal.js";
import type { ConfirmationUse, NewConfirmation, PresentedConfirmation } from "./confirmation.js";
import type { ApprovalCounts } from "./count.js";
import type { KeyedRequest } from "./personal.js";
import type { Refusal } from "./refused.js";
import type { Statistics } from "./statistics.js";

/** A gated call to write down; everything else about an approval the database adds. */
export type ProposedCall = Pick<
  Approval,
  | "id"
  | "position"
  | "toolCallId"
  | "toolName"
  | "toolVersion"
  | "inputJson"
  | "digest"
  | "inputSchemaJson"
  | "policyContext"
  | "verdict"
  | "summary"
  | "risk"
  | "terms"
  | "reason"
  | "approvers"
  | "policyVersion"
  | "timeoutMs"
>;

/** The gated calls of one agent response. */
export interface Proposal {
  requestId: string;
  wakeUpToken: string;
  tenantId: string;
  threadId: string | null;
  runId: string | null;
  agentName: string | null;
  requesterId: string | null;
  /** What the model wrote beside its calls, with what is hidden replaced already; left out, nothing. */
  said?: string | null;
  calls: ProposedCall[];
  /** What would ask people too much; left out, nothing is counted. */
  limits?: ProposalLimits | undefined;
  /** Judges a grant's condition, where doubt means no; left out, no grant with a condition counts. */
  meetsCondition?: ((condition: string, call: GrantedCall) => boolean) | undefined;
}

/** What a grant's condition can speak of. */
export type GrantedCall = Pick<Approval, "toolName" | "inputJson" | "policyContext" | "threadId">;

/** How many calls may wait for people at once, and after how many denials in a row a run stops asking. */
export interface ProposalLimits {
  pendingPerRun: number;
  pendingPerThread: number;
  pendingPerTenant: number;
  denialsInARow: number;
}

/** Which run to wake. */
export interface WakeUp {
  requestId: string;
  token: string;
}

/** How far a request is. `nextDeadlineMs` is the time until the next expiry, from the database's clock. */
export interface RequestProgress {
  approvals: Approval[];
  open: number;
  nextDeadlineMs: number;
}

export interface Settlement extends RequestProgress {
  /** Nothing is open, and nobody waits who is still to be woken. */
  settled: boolean;
}

export interface DecideInput {
  approvalId: string;
  principal: Principal;
  type: Decision["type"];
  digest: string;
  reason: string | null;
  /** JSON text of the tool's result, where `type` is `respond`. */
  responseJson?: string;
  /** The changed arguments, checked by whoever calls, where `type` is `edit`. */
  edited?: { inputJson: string; digest: string };
  /** A standing approval that is given together with an `approve`, checked by whoever calls. */
  grant?: NewGrant;
}

/** A verb that came too late, and whom the end of the call wakes. */
export interface RanOut {
  outcome: "expired";
  approval: Approval;
  wakeUp: WakeUp | undefined;
}

/** What a decision led to; losers learn who won. */
export type DecideResult =
  | { outcome: "decided"; approval: Approval; wakeUp: WakeUp | undefined }
  | { outcome: "repeated" | "lost"; approval: Approval; wakeUp: WakeUp | undefined }
  | RanOut
  | { outcome: "voted"; approval: Approval }
  | {
      outcome: "not_open" | "digest_mismatch" | "forbidden" | "self_approval" | "not_allowed";
      approval: Approval;
    }
  | { outcome: "not_found" };

/** Why somebody could not do anything about an open call. */
export type NotOpenToYou =
  | { outcome: "not_found" }
  | { outcome: "forbidden" | "not_open"; approval: Approval }
  | { outcome: "lost"; approval: Approval; wakeUp: undefined }
  | RanOut;

export interface AssignInput {
  approvalId: string;
  principal: Principal;
  /** A principal's id; `null` takes the assignment back. */
  to: string | null;
}

export type AssignResult =
  | { outcome: "assigned" | "repeated" | "self_approval" | "requester_may_not"; approval: Approval }
  | NotOpenToYou;

export interface LookInput {
  approvalId: string;
  principal: Principal;
  /** False: has closed it. */
  active: boolean;
}

export type LookResult = { outcome: "noted"; approval: Approval } | NotOpenToYou;

export interface ExtendInput {
  approvalId: string;
  principal: Principal;
  /** By how many milliseconds: at least a minute, at most as long as people had at first. */
  byMs: number;
}

export type ExtendResult =
  | { outcome: "extended" | "self_approval" | "out_of_range" | "used_up"; approval: Approval }
  | NotOpenToYou;

export interface ResolveInput {
  approvalId: string;
  principal: Principal;
  outcome: Resolution["outcome"];
  note: string | null;
}

export type ResolveResult =
  | {
      outcome:
        | "resolved"
        | "repeated"
        | "self_approval"
        | "not_interrupted"
        | "already_resolved"
        | "no_rerun";
      approval: Approval;
    }
  | { outcome: "forbidden"; approval: Approval }
  | { outcome: "not_found" };

export type ClaimResult =
  | { outcome: "claimed"; approval: Approval }
  | { outcome: "already_started"; approval: Approval }
  | { outcome: "refused"; approval: Approval }
  | { outcome: "not_found" };

/** By which time a list is ordered; rows without it are left out. */
export interface ApprovalOrder {
  by: "createdAt" | "expiresAt" | "decidedAt";
  latestFirst: boolean;
}

export interface ListFilter {
  tenantId: string;
  /** Only what this principal may see: decidable by them, or asked for by them. */
  visibleTo?: Principal;
  statuses?: readonly ApprovalStatus[];
  threadId?: string;
  requesterId?: string;
  assigneeId?: string;
  limit: number;
  toolName?: string;
  toolCallId?: string;
  requestId?: string;
  risk?: Risk;
  /** Some text of the summary, the tool's name or the requester's id. */
  text?: string;
  /** Only what this principal may decide. */
  decidableBy?: Principal;
  /** Left out: oldest first. */
  order?: ApprovalOrder;
  /** Everything after this one, by the time that the order goes by. */
  after?: { at: Date; id: string };
}

export interface GrantFilter {
  tenantId: string;
  /** Only what this principal may see: given by them, for them, or theirs to decide. */
  visibleTo?: Principal;
  /** Only those that still cover something. */
  live?: boolean;
  limit: number;
  /** Everything after this one, newest first. */
  after?: { at: Date; id: string };
}

/** What became of a revocation; an ended grant may be revoked as well, and stays so. */
export type RevokeResult =
  | { outcome: "revoked" | "repeated" | "forbidden"; grant: Grant }
  | { outcome: "not_found" };

export interface Thread {
  id: string;
  tenantId: string;
  ownerId: string | null;
  runId: string | null;
  status: "running" | "done" | "failed";
  createdAt: Date;
  updatedAt: Date;
}

export interface ThreadEntry {
  seq: number;
  runId: string | null;
  kind: "user" | "result";
  key: string;
  bodyJson: string;
  createdAt: Date;
}

export interface AuditFilter {
  tenantId: string;
  approvalId?: string | undefined;
  /** Only entries about approvals that this principal may see. */
  principal?: Principal | undefined;
  /** Everything after this position. */
  after?: number | undefined;
  limit?: number | undefined;
}

/** What has changed: the tenant's log has grown, or somebody has opened or closed a call. */
export type Change = { kind: "log" } | { kind: "viewing"; approvalId: string };

/** The kind of an audit entry, the code of the error where it tells of a refusal, and how long a decided call had waited. */
export interface Recorded {
  type: string;
  code: string | null;
  waitedMs: number | null;
}

export type Unsubscribe = () => Promise<void>;

/**
 * Everything that Countersign keeps. Verbs, not rows: each changes states by one conditional update on the
 * database's time, so that no caller can skip a rule. Every failure is a `CountersignError` without parameters.
 */
export interface Store {
  migrate(): Promise<void>;
  /** Whether the database has every migration of this version. */
  isMigrated(): Promise<boolean>;
  /** The database's time, by which all that people are told counts; it is asked now and then, and never fails. */
  now(): Promise<Date>;
  /** What waits over all tenants, for operators. */
  statistics(): Promise<Statistics>;
  /** Calls `observer` with what this process has recorded, once it is committed; returns the way to stop. */
  observe(observer: (recorded: Recorded) => void): () => void;
  /** Writes a request and its approvals (`proposed`, or `denied` where the policy forbids); repeats are no-ops. With a signer, what a grant approves is written with its signed proof. */
  propose(proposal: Proposal, signer?: EvidenceSigner): Promise<Approval[]>;
  /** An audit entry about something that is no approval; its data must not hold arguments. */
  recordNote(entry: { tenantId: string; type: string; data: Record<string, unknown> }): Promise<void>;
  /** What a person put in place of something of the call: the tool's result, or the arguments. */
  readReplacement(
    approvalId: string,
  ): Promise<{ responseJson: string | null; editedInputJson: string | null }>;
  /** What a request holds, in the order of the calls; empty where there is none. */
  approvalsOf(requestId: string): Promise<Approval[]>;
  readRequest(
    requestId: string,
  ): Promise<{ wakeUpToken: string; runId: string | null; timeoutMs: number } | undefined>;
  /** `proposed → pending`; from here on people may decide. */
  announce(requestId: string): Promise<Approval[]>;
  /** Expires what ran out, and reports; takes note once nothing is open, unless a later wait (from 0) has begun. */
  settle(requestId: string, round: number): Promise<Settlement>;
  /** The same as a wait begins, without taking note: makes sure that a complete request has its outbox row. */
  peek(requestId: string, round: number): Promise<RequestProgress>;
  /** With a signer, a decision is written with its signed proof. */
  decide(input: DecideInput, signer?: EvidenceSigner): Promise<DecideResult>;
  /** Writes down that somebody's decision was refused before it came to the store; where they may see the call. */
  recordRefusal(refusal: Refusal): Promise<void>;
  /** Says who should decide a pending call; where its rule lets people pass it on, that person then may. */
  assign(input: AssignInput): Promise<AssignResult>;
  /** Notes who has a call open. */
  look(input: LookInput): Promise<LookResult>;
  /** Lengthens the time to decide a pending call, as often as its rule allows. */
  extend(input: ExtendInput): Promise<ExtendResult>;
  /** Records, once, what a person found out about an interrupted call. */
  resolve(input: ResolveInput): Promise<ResolveResult>;
  /**
   * `approved → executing`, unless `check` names a cause to withdraw. With a signer, only against the signed proof of
   * the decision, which is used up; without one that holds, the call is withdrawn.
   */
  claim(
    approvalId: string,
    handlerKind: HandlerKind,
    check: (approval: Approval) => WithdrawalCause | undefined,
    signer?: EvidenceSigner,
  ): Promise<ClaimResult>;
  /** Whether an approval was started against its signed proof. */
  startWasProven(approval: Approval, signer: EvidenceSigner): Promise<boolean>;
  /** The signed proof of an approval's decision, where one was written. */
  readEvidence(tenantId: string, approvalId: string): Promise<Evidence | undefined>;
  /** Writes the signed proof of what an operator confirmed outside of approvals. */
  recordConfirmation(input: NewConfirmation, signer: EvidenceSigner): Promise<Evidence>;
  /** Uses up such a proof for one action, or says what is wrong with it; either is in the audit log. */
  consumeConfirmation(input: PresentedConfirmation, signer: EvidenceSigner): Promise<ConfirmationUse>;
  /** `executing → executed | failed | interrupted`; the row as it then is. */
  finish(
    approvalId: string,
    end: { status: "executed" | "failed"; outcomeJson: string } | { status: "interrupted" },
  ): Promise<Approval | undefined>;
  /** Ends everything open of a run; approved but unclaimed calls too. */
  withdrawRun(runId: string, cause: WithdrawalCause): Promise<WakeUp[]>;
  /** Ends what waits of a conversation, but for one run's calls, because a newer message took its place. */
  withdrawThread(tenantId: string, threadId: string, keepRunId: string): Promise<WakeUp[]>;
  withdrawRequest(requestId: string, cause: WithdrawalCause): Promise<RequestProgress>;
  /** Wake-ups that are due again; each is put off further before it is returned. */
  takeDueWakeUps(limit: number): Promise<WakeUp[]>;
  /** Expires and interrupts what no run takes care of any more. */
  sweep(): Promise<{ expired: number; interrupted: number }>;
  getApproval(tenantId: string, approvalId: string): Promise<Approval | undefined>;
  /** What the model wrote beside the calls of a request; `null` where it wrote nothing. */
  readSaid(tenantId: string, requestId: string): Promise<string | null>;
  listApprovals(filter: ListFilter): Promise<Approval[]>;
  /** Standing approvals, newest first. */
  listGrants(filter: GrantFilter): Promise<Grant[]>;
  /** A standing approval that this principal may see. */
  getGrant(principal: Principal, grantId: string): Promise<Grant | undefined>;
  /** Ends a grant at once; calls that it let through and that have not started do not start. */
  revokeGrant(principal: Principal, grantId: string): Promise<RevokeResult>;
  /** Everything that happened to one approval, oldest first. */
  auditTrail(tenantId: string, approvalId: string): Promise<AuditEntry[]>;
  /** Entries of a tenant's log, oldest first. */
  listAudit(filter: AuditFilter): Promise<AuditEntry[]>;
  /** Tenants that have a log, or should have one. */
  auditedTenants(): Promise<string[]>;
  /** Recomputes a tenant's chain. `anchor` is a head that was noted earlier, where nobody here could change it. */
  verifyAudit(tenantId: string, anchor?: AuditHead): Promise<AuditVerification>;
  /** A tenant's log, line by line, each with its line break; CSV begins with a header. */
  exportAudit(tenantId: string, options: { format: AuditExportFormat }): AsyncIterable<string>;
  /** How many calls wait for a principal, and how many were cut off and not looked into; each up to 10,000. */
  countApprovals(filter: { tenantId: string; visibleTo: Principal }): Promise<ApprovalCounts>;
  /** How a person likes their inbox, as it was written; `null` where they never said. */
  getPreferences(tenantId: string, principalId: string): Promise<unknown>;
  setPreferences(tenantId: string, principalId: string, data: Record<string, unknown>): Promise<void>;
  /** Holds a client's key to one request: false where it was used for another. Kept for a day. */
  noteIdempotencyKey(request: KeyedRequest): Promise<boolean>;
  /** Position of a tenant's newest audit entry; 0 where there is none. */
  auditPosition(tenantId: string): Promise<number>;
  /**
   * Calls `onChange` when something of the tenant has changed, in whichever process, and also when notices may have
   * been missed. A notice carries nothing but that: read the log from the position that you know.
   */
  subscribe(tenantId: string, onChange: (change: Change) => void): Promise<Unsubscribe>;
  /** Creates the thread or finds it; `undefined` where it belongs to somebody else. */
  openThread(thread: {
    tenantId: string;
    id: string;
    ownerId: string | null;
    runId: string | null;
  }): Promise<Thread | undefined>;
  endThread(tenantId: string, threadId: string, runId: string | null): Promise<void>;
  getThread(tenantId: string, threadId: string): Promise<Thread | undefined>;
  listThreads(filter: { tenantId: string; ownerId: string; limit: number }): Promise<Thread[]>;
  /** Adds entries; one whose key the thread has already is left as it is. */
  appendEntries(
    tenantId: string,
    threadId: string,
    entries: { runId: string | null; kind: ThreadEntry["kind"]; key: string; bodyJson: string }[],
  ): Promise<void>;
  /** Entries in order; those before `beforeKey`'s where it is given and known. */
  readEntries(tenantId: string, threadId: string, beforeKey?: string): Promise<ThreadEntry[]>;
  close(): Promise<void>;
}
