// Do not import Drizzle here: public declarations include this file.

import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import type { CountedAs } from "@countersign/policy/internal/policy/counts";
import type { Approval } from "../../approval/approval.js";
import type { GrantedCall } from "../../approval/grant.js";
import type { EvidenceSigner } from "../../evidence/evidence-signer.js";

/** A gated call to save. The store adds the nonce, the digest and all other fields of an approval. */
export type ProposedCall = Pick<
  Approval,
  | "id"
  | "position"
  | "toolCallId"
  | "toolName"
  | "toolVersion"
  | "inputJson"
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
> &
  Partial<Pick<Approval, "awaitedEventId" | "notify">> & {
    /** The counters that it adds to. @default none */
    countedAs?: readonly CountedAs[];
    /** Of a call that undoes another. @default whoever asked had no role, and there is no limit */
    undo?: UndoAsked;
  };

/** Of the wish for an undo: the roles of whoever asks, and the end of the time in which they may; `null`: at any time. */
export interface UndoAsked {
  roles: readonly string[];
  until: Date | null;
}

/** A number over time to read: what the calls of a counter amounted to. */
export interface CountQuery {
  counter: string;
  windowMs: number;
}

/** The verdicts that rest on what was counted, to be confirmed while nobody else can add to it. */
export interface ProposalCounts {
  queries: readonly CountQuery[];
  /** Whether all verdicts stand with these numbers, in the order of the queries. */
  stand(counted: readonly number[]): boolean;
}

/** The gated calls of one agent response. */
export interface Proposal {
  requestId: string;
  tenantId: string;
  threadId: string | null;
  runId: string | null;
  /** The id of the Inngest client that serves the run, or the function that waits; `null` if nothing waits. */
  appId: string | null;
  /** Of an undo: the instance whose function runs it. @default none */
  instanceId?: string | null;
  /** The run that invoked this one. When it ends, these calls end too. */
  parentRunId?: string | null;
  agentName: string | null;
  requesterId: string | null;
  /** For display only. */
  requesterName?: string | undefined;
  /** The text that the model wrote beside its calls, redacted. @default none */
  modelText?: string | null;
  calls: ProposedCall[];
  /** What the verdicts rest on. @default nothing was counted */
  counts?: ProposalCounts | undefined;
  /** Limits on approval requests. @default none */
  limits?: ProposalLimits | undefined;
  /**
   * Evaluates a grant's condition over what its author may see; false in doubt. Without it, grants with a condition
   * never apply.
   */
  meetsCondition?: ((condition: string, call: GrantedCall, authorSeesAll: boolean) => boolean) | undefined;
}

/** Maximum number of pending calls, and the denials in a row after which a run stops asking. */
export interface ProposalLimits {
  pendingPerRun: number;
  pendingPerThread: number;
  pendingPerRequester: number;
  pendingPerTenant: number;
  denialsInARow: number;
}

/** The calls of a run with these ids of the model, whatever their request. */
export interface RepeatedCalls {
  runId: string;
  callIds: readonly string[];
}

/** Of a request, what its wait needs to know. */
export interface RequestHead {
  runId: string | null;
  /** Milliseconds from the announcement until the first deadline of its open calls. */
  deadlineMs: number;
  appId: string | null;
  instanceId: string | null;
}

/** The run to wake. */
export interface WakeUp {
  requestId: string;
}

/** The progress of a request. `nextDeadlineMs` is the time until the next expiry, by the database's clock. */
export interface RequestProgress {
  approvals: Approval[];
  open: number;
  nextDeadlineMs: number;
}

export interface Settlement extends RequestProgress {
  /** No call is open, and no waiting run is left to wake. */
  settled: boolean;
}

/** Requests: what runs propose, wait for, and withdraw. */
export interface RequestPort {
  /**
   * Writes a request and its approvals (`proposed`, or `denied` if the policy forbids them). Idempotent. With a signer,
   * an approval by a grant is written with its signed evidence. Writes and returns nothing if another attempt of the run
   * was allowed to run the calls.
   *
   * @throws CountsChanged
   */
  propose(proposal: Proposal, signer?: EvidenceSigner): Promise<Approval[]>;
  /**
   * Records that all calls of a run's response are allowed, so that no other attempt of its step can ask for one that may
   * have run. Idempotent.
   *
   * @returns the approvals that another attempt has written instead; empty if there are none
   */
  recordAllowed(response: { tenantId: string; runId: string; requestId: string }): Promise<Approval[]>;
  /**
   * What the calls of some counters amounted to, in the order of the queries: those that ran, wait or are approved.
   *
   * @param counting `before`: only calls counted before this approval, at its time. `except`: all others than this one.
   */
  readCounts(
    tenantId: string,
    queries: readonly CountQuery[],
    counting?: { before: string } | { except: string },
  ): Promise<number[]>;
  /**
   * The approvals of a request, in the order of the calls; empty if there are none.
   *
   * @param alsoOf Also returns those of this run for calls with these ids, whatever their request.
   */
  approvalsOf(requestId: string, alsoOf?: RepeatedCalls): Promise<Approval[]>;
  readRequest(requestId: string): Promise<RequestHead | undefined>;
  /** The text that the model wrote beside the calls of a request; `null` if there is none. */
  readModelText(tenantId: string, requestId: string): Promise<string | null>;
  /** `proposed → pending`: from here on people may decide. */
  announce(requestId: string): Promise<Approval[]>;
  /**
   * Expires overdue calls and reports progress. Settles the request once no call is open, unless a later wait (from 0)
   * has begun.
   */
  settle(requestId: string, round: number): Promise<Settlement>;
  /**
   * Like `settle` at the beginning of a wait, but without settling. Ensures that a request without open calls has an
   * outbox row.
   */
  peek(requestId: string, round: number): Promise<RequestProgress>;
  /**
   * Ends all open calls of a run and of the runs that it invoked, including approved but unclaimed ones. The relay
   * repeats the wake-ups, except those of a lost run.
   */
  withdrawRun(runId: string, cause: WithdrawalCause): Promise<WakeUp[]>;
  /** Withdraws the pending calls of a thread, except those of one run, because of a newer message. */
  withdrawThread(tenantId: string, threadId: string, keepRunId: string): Promise<WakeUp[]>;
  /** Withdraws the open calls of a request; for `digest_changed` and `policy_changed` also approved ones. */
  withdrawRequest(requestId: string, cause: WithdrawalCause): Promise<RequestProgress>;
  /**
   * Records that the database was restored from a backup, and withdraws a tenant's approved calls without a run: they may
   * have been used after the backup. Returns their number.
   */
  withdrawRestored(tenantId: string, by: string | null): Promise<number>;
  /** Wake-ups that are due again; each is postponed further before it is returned. */
  takeDueWakeUps(limit: number): Promise<WakeUp[]>;
  /**
   * The requests of an instance's undos that were asked for in the last hour, and for which no run has waited half a minute
   * later.
   */
  overdueUndos(instance: { appId: string; instanceId: string }): Promise<string[]>;
  /** The wake-ups of some requests that their runs have not answered yet. */
  wakeUpsStillDue(requestIds: readonly string[]): Promise<WakeUp[]>;
  /** Expires or interrupts calls that no run handles any more. */
  sweep(): Promise<{ expired: number; interrupted: number }>;
}
