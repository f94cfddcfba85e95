// Do not import Drizzle here: public declarations include this file.

import type { Risk } from "@countersign/policy/internal/policy/rules/rule";
import type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../../approval/approval.js";
import type { SimilarCall } from "../../approval/call-history.js";
import type { SameCall } from "../../approval/earlier-call.js";
import type { ListName } from "../../approval/list-names.js";

/** How a person decided about a call: in any way, by approving it, with changes or without, or by denying it. */
export const outcomes = ["decided", "approved", "denied"] as const;
export type Outcome = (typeof outcomes)[number];

/** The time that orders a list. Rows without it are omitted. */
export interface ApprovalOrder {
  by: "createdAt" | "expiresAt" | "decidedAt";
  latestFirst: boolean;
}

export interface ListFilter {
  tenantId: string;
  /** Only what this principal may see: decidable or requested by them. */
  visibleTo?: Principal;
  statuses?: readonly ApprovalStatus[];
  threadId?: string;
  requesterId?: string;
  assigneeId?: string;
  limit: number;
  toolName?: string;
  toolCallId?: string;
  requestId?: string;
  risks?: readonly Risk[];
  /** Only pending calls that expire within this time. */
  endsWithinMs?: number;
  /** Only calls about which a person decided: in any way, or so. What the policy or a grant decided is left out. */
  outcome?: Outcome;
  /** Only calls decided within this time, up to now or to the creation of the call in `before`. */
  decidedWithinMs?: number;
  /** Only calls decided after this time. */
  decidedAfter?: Date;
  /** Only calls decided before this time. */
  decidedBefore?: Date;
  /** Only decided calls in which the person with this id has decided or voted. What a grant approved is left out. */
  decidedBy?: string;
  /** Only other calls, made no later than this one. */
  before?: Pick<Approval, "id" | "createdAt">;
  /** One of a person's lists. */
  list?: { name: ListName; of: Principal };
  /** Text within the summary, the tool's name or the requester's id. */
  text?: string;
  /** Only what this principal may decide. */
  decidableBy?: Principal;
  /** @default oldest first */
  order?: ApprovalOrder;
  /** Everything after this one, by the time that orders the list. */
  after?: { at: Date; id: string };
}

/** The number of a person's pending calls, of interrupted, unresolved ones, and of the calls in each of their lists. */
export interface ApprovalCounts {
  pending: number;
  byRisk: Record<Risk, number>;
  interrupted: number;
  /** When the first of the calls that they have put aside comes back. */
  nextReturn: Date | null;
  lists: Record<ListName, number>;
  /** The decided calls after a time in which they have decided or voted, if that was asked for. */
  decidedByYou?: number;
}

/** What the calls of a list are about, most frequent first. */
export interface ListFacets {
  /** How many calls meet the filter. */
  found: number;
  /** Of the whole list, whatever the filter. */
  risks: { value: Risk; count: number }[];
  /** `label` is what the rules call a tool's calls, if they call all of them the same. */
  tools: { value: string; label: string | null; count: number }[];
  requesters: { value: string; count: number }[];
}

/** Pending calls of all tenants. Ages are whole seconds by the database's clock, 0 if nothing is pending. */
export interface Statistics {
  /** `age` is the upper bound of the bucket: 60, 300, 1800, 7200 or 86,400 seconds, `null` above the last. */
  pending: { risk: Risk; age: number | null; count: number }[];
  oldestPendingSeconds: number;
  outbox: { waiting: number; oldestSeconds: number };
  /** Messages of channels that are due or have failed, with the age of the oldest event that waits. */
  deliveries: { channel: string; state: "due" | "failed"; count: number; oldestSeconds: number }[];
  /** Recipients that are disabled after days of failures. */
  disabledRecipients: { channel: string; count: number }[];
  /** Interrupted calls that nobody has resolved. */
  interrupted: number;
  /** Stops that nobody has released. */
  engagedStops: number;
  /** When the relay of each app last ran, in seconds since 1970. Those that ran within a week. */
  relays: { appId: string; ranAt: number }[];
}

/** Threads with changed calls. */
export interface ChangedThreads {
  threadIds: string[];
  position: number;
}

/** Lists and counts of approvals. */
export interface ReadingPort {
  getApproval(tenantId: string, approvalId: string): Promise<Approval | undefined>;
  listApprovals(filter: ListFilter): Promise<Approval[]>;
  /** Counts a principal's pending calls, the interrupted, unresolved ones, and their lists; 10,001 means more. */
  countApprovals(filter: {
    tenantId: string;
    visibleTo: Principal;
    /** Counts `decidedByYou` after this time. */
    decidedAfter?: Date;
  }): Promise<ApprovalCounts>;
  /** Counts the calls of a list that meet a filter, and what the list is about; 10,001 means more. */
  listFacets(
    filter: Omit<ListFilter, "limit" | "after" | "order" | "list"> & Required<Pick<ListFilter, "list">>,
  ): Promise<ListFacets>;
  /** The decided calls of the same tool for the same person before a call, latest first, that a reader may see. */
  similarCalls(approval: Approval, reader: Principal, limit: number): Promise<SimilarCall[]>;
  /**
   * The latest started calls before a call with the same tool and arguments, in any conversation, that a reader may see; with
   * `null`, all of the tenant.
   */
  sameCalls(approval: Approval, reader: Principal | null): Promise<SameCall[]>;
  /** The threads of the calls in the tenant's log after a position, and the log's current position. */
  threadsChangedSince(tenantId: string, after: number): Promise<ChangedThreads>;
  /** Pending calls of all tenants, for operators. */
  statistics(): Promise<Statistics>;
}
