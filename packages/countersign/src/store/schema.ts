import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import type { GrantScope } from "@countersign/policy/internal/policy/rules/rule";
import type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";
import { isNull, sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  bigserial,
  boolean,
  foreignKey,
  index,
  integer,
  json,
  jsonb,
  numeric,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type {
  Approval,
  ApprovalTerms,
  Decision,
  PolicyContext,
  Resolution,
  Vote,
} from "../approval/approval.js";
import type { GrantBudget, OverBudget } from "../approval/budget.js";
import type { HandlerKind } from "../approval/handler-kind.js";
import type { ChannelReference, DeliveryEvent } from "../channel/channel.js";
import type { DeliveryState } from "./ports/delivery-port.js";

/**
 * All tables are in this Postgres schema. Users' JSON is stored as text, since jsonb alters it. `write_changes` writes whole rows
 * as older processes describe them, so a column that is added later may be `null`, or that function fills it.
 */
export const countersignSchema = pgSchema("countersign");

/**
 * A foreign key that also compares the tenants. Row-level security does not apply to foreign key checks, so a plain key
 * would let a tenant refer to another tenant's row, and reveal whether it exists.
 */
function ofTenant<Parent extends { tenantId: AnyPgColumn; id: AnyPgColumn }>(
  name: string,
  columns: [AnyPgColumn, AnyPgColumn],
  parent: Parent,
) {
  return foreignKey({ name, columns, foreignColumns: [parent.tenantId, parent.id] });
}

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const threads = countersignSchema.table(
  "threads",
  {
    tenantId: text("tenant_id").notNull(),
    id: text("id").notNull(),
    ownerId: text("owner_id"),
    runId: text("run_id"),
    status: text("status").$type<"running" | "done" | "failed">().notNull(),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    index("threads_run").on(table.runId),
    index("threads_owner").on(table.tenantId, table.ownerId, table.updatedAt),
    index("threads_age").on(table.tenantId, table.updatedAt, table.id),
  ],
);

export const threadEntries = countersignSchema.table(
  "thread_entries",
  {
    seq: bigserial("seq", { mode: "number" }).primaryKey(),
    tenantId: text("tenant_id").notNull(),
    threadId: text("thread_id").notNull(),
    runId: text("run_id"),
    kind: text("kind").$type<"user" | "result">().notNull(),
    /** Makes a repeated write of the same entry a no-op. */
    key: text("key").notNull(),
    bodyJson: text("body_json").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("thread_entries_key").on(table.tenantId, table.threadId, table.key),
    index("thread_entries_order").on(table.tenantId, table.threadId, table.seq),
  ],
);

export const requests = countersignSchema.table(
  "requests",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id").notNull(),
    threadId: text("thread_id"),
    runId: text("run_id"),
    /** The id of the Inngest client that serves the run; null without a run. */
    appId: text("app_id"),
    /** Of an undo: the id of the instance whose function runs it. */
    instanceId: text("instance_id"),
    /** The text that the model wrote beside its calls, redacted. */
    modelText: text("model_text"),
    createdAt: time("created_at").notNull(),
    /** How many rounds a run has waited for this request. 0: no run waits, so there is none to wake. */
    rounds: integer("rounds").notNull().default(0),
    /** When the run found that no call was open. */
    settledAt: time("settled_at"),
    /** The round in which the run was last probed; a later round is its answer. */
    probedRound: integer("probed_round"),
    /** The run that invoked this request's run, according to the engine. */
    parentRunId: text("parent_run_id"),
  },
  (table) => [
    index("requests_run").on(table.runId),
    unique("requests_of_tenant").on(table.tenantId, table.id),
    index("requests_parent_run").on(table.parentRunId).where(sql`${table.parentRunId} is not null`),
    index("requests_waiting").on(table.createdAt).where(sql`${table.settledAt} is null`),
    index("requests_age").on(table.tenantId, table.createdAt, table.id),
  ],
);

/** One row with values drawn once for all processes, when they are first needed. */
export const installation = countersignSchema.table("installation", {
  /** Always 1. */
  id: integer("id").primaryKey(),
  /** For ids that nobody can guess from their content, tokens of wake-ups, and the keys of sealed texts. */
  nameSecret: text("name_secret").notNull(),
});

/** One row per app: when its relay ran, and the canary run that shows whether its engine still has its runs. */
export const engineWatch = countersignSchema.table("engine_watch", {
  /** The id of the Inngest client. */
  appId: text("app_id").primaryKey(),
  canaryId: text("canary_id").notNull(),
  startedAt: time("started_at").notNull(),
  checks: integer("checks").notNull(),
  checkedAt: time("checked_at").notNull(),
  answeredAt: time("answered_at"),
  /** When lost runs were last found, and how many in total. */
  lostAt: time("lost_at"),
  lostRuns: integer("lost_runs").notNull().default(0),
  /** When the app's relay last got through its work. */
  relayedAt: time("relayed_at"),
});

/** Recently cancelled or failed runs: later proposals of such a run end at once. */
export const endedRuns = countersignSchema.table(
  "ended_runs",
  {
    runId: text("run_id").primaryKey(),
    cause: text("cause").$type<WithdrawalCause>().notNull(),
    endedAt: time("ended_at").notNull(),
  },
  (table) => [index("ended_runs_age").on(table.endedAt)],
);

/** Responses whose calls were all allowed, for a week: no other attempt of their step may ask for one that may have run. */
export const allowedResponses = countersignSchema.table(
  "allowed_responses",
  {
    requestId: text("request_id").primaryKey(),
    tenantId: text("tenant_id").notNull(),
    allowedAt: time("allowed_at").notNull(),
  },
  (table) => [index("allowed_responses_age").on(table.allowedAt)],
);

export const approvals = countersignSchema.table(
  "approvals",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id").notNull(),
    requestId: text("request_id").notNull(),
    threadId: text("thread_id"),
    runId: text("run_id"),
    agentName: text("agent_name"),
    requesterId: text("requester_id"),
    position: integer("position").notNull(),
    toolCallId: text("tool_call_id").notNull(),
    toolName: text("tool_name").notNull(),
    toolVersion: text("tool_version").notNull(),
    inputJson: text("input_json").notNull(),
    digest: text("digest").notNull(),
    /** Random part of the digest. */
    nonce: text("nonce").notNull(),
    /**
     * Equal for equal calls, to find duplicates. Never shown: without a nonce, readers could test guesses of values
     * against it.
     */
    callHash: text("call_hash").notNull(),
    /**
     * Equal for the same tool with the same arguments, after an edit the edited ones, to find what ran before. Never shown
     * either. A call without one is never found.
     */
    argumentsHash: text("arguments_hash"),
    editedInputJson: text("edited_input_json"),
    editedDigest: text("edited_digest"),
    inputSchemaJson: text("input_schema_json"),
    policyContext: jsonb("policy_context").$type<PolicyContext>().notNull(),
    status: text("status").$type<ApprovalStatus>().notNull(),
    verdict: text("verdict").$type<Approval["verdict"]>().notNull(),
    summary: text("summary").notNull(),
    risk: text("risk").$type<Approval["risk"]>().notNull(),
    /** Those that differ from `defaultTerms`. A row of more than two kilobytes costs a second one. */
    terms: jsonb("terms").$type<Partial<ApprovalTerms>>().notNull(),
    reason: text("reason"),
    /** Who may decide now, for lists. The rule's own roles are in `proposed_roles`, which the digest covers. */
    approverRoles: text("approver_roles").array().notNull(),
    approverIds: text("approver_ids").array().notNull(),
    proposedRoles: text("proposed_roles").array().notNull(),
    policyVersion: text("policy_version").notNull(),
    timeoutMs: bigint("timeout_ms", { mode: "number" }).notNull(),
    createdAt: time("created_at").notNull(),
    announcedAt: time("announced_at"),
    expiresAt: time("expires_at"),
    /** Number of reminders and escalations applied. */
    escalationSteps: integer("escalation_steps").notNull().default(0),
    decisionType: text("decision_type").$type<Decision["type"]>(),
    decidedBy: text("decided_by"),
    decidedRoles: text("decided_roles").array(),
    decisionReason: text("decision_reason"),
    decidedAt: time("decided_at"),
    /** Of a pending call: a decision that takes effect at `held_until`, unless its person takes it back before. */
    /** See `storedHold`. */
    held: jsonb("held"),
    heldUntil: time("held_until"),
    withdrawalCause: text("withdrawal_cause").$type<WithdrawalCause>(),
    startedAt: time("started_at"),
    /** The run in which the call was started. Only this run knows whether the process that started it is gone. */
    startedBy: text("started_by"),
    /** The kind of the handler when the call started. After a crash, only a handler of the same kind may continue. */
    handlerKind: text("handler_kind").$type<HandlerKind>(),
    finishedAt: time("finished_at"),
    responseJson: text("response_json"),
    outcomeJson: text("outcome_json"),
    /** Signature over the outcome, by the process that ran the call. */
    outcomeToken: text("outcome_token"),
    assigneeId: text("assignee_id"),
    assignedBy: text("assigned_by"),
    assignedRoles: text("assigned_roles").array(),
    /** Signature over the current assignment. */
    assignmentToken: text("assignment_token"),
    grantId: text("grant_id"),
    /** What the call spends of its grant's budget; `null` without one. */
    grantAmount: numeric("grant_amount"),
    /** Why a grant did not cover the call. Not part of the digest, because it gives no authority. */
    overBudget: jsonb("over_budget").$type<OverBudget>(),
    duplicateOf: text("duplicate_of"),
    extensionsUsed: integer("extensions_used").notNull().default(0),
    resolutionOutcome: text("resolution_outcome").$type<Resolution["outcome"]>(),
    resolvedBy: text("resolved_by"),
    resolutionNote: text("resolution_note"),
    resolvedAt: time("resolved_at"),
    /** For an approval that the host saved: the event that it waits for. */
    awaitedEventId: text("awaited_event_id"),
    /**
     * The channels and targets to notify, such as `slack:#finance`. Not part of the digest, because it gives no
     * authority.
     */
    notify: text("notify").array().notNull().default([]),
    /** The latest call that undoes this one, and when it did. */
    undoId: text("undo_id"),
    undoneAt: time("undone_at"),
    /** Of an undo: the signature of whoever asked for it. */
    undoToken: text("undo_token"),
  },
  (table) => [
    unique("approvals_of_tenant").on(table.tenantId, table.id),
    ofTenant("approvals_request_of_tenant", [table.tenantId, table.requestId], requests),
    index("approvals_request").on(table.requestId),
    index("approvals_run").on(table.runId),
    index("approvals_list").on(table.tenantId, table.status, table.createdAt, table.id),
    index("approvals_thread").on(table.tenantId, table.threadId, table.createdAt),
    index("approvals_due")
      .on(table.status, table.expiresAt)
      // The relay and the metrics look for nothing else, and every ended call would stay in it.
      .where(sql`${table.status} in ('proposed', 'pending', 'approved', 'executing', 'interrupted')`),
    index("approvals_expiring").on(table.tenantId, table.status, table.expiresAt, table.id),
    index("approvals_of_requester")
      .on(table.tenantId, table.requesterId, table.toolName, table.decidedAt)
      .where(sql`${table.decidedAt} is not null`),
    index("approvals_started")
      .on(table.tenantId, table.argumentsHash, table.createdAt)
      .where(sql`${table.status} in ('responded', 'executing', 'executed', 'failed', 'interrupted')`),
    index("approvals_held").on(table.heldUntil).where(sql`${table.heldUntil} is not null`),
    index("approvals_decided").on(table.tenantId, table.decidedAt, table.id),
    index("approvals_being_undone")
      .on(table.undoId)
      .where(sql`${table.undoId} is not null and ${table.undoneAt} is null`),
    index("approvals_spending")
      .on(table.tenantId, table.grantId)
      .where(sql`${table.grantAmount} is not null and ${table.status} = 'approved'`),
  ],
);

/** Where calls are counted that a limit over time counts: one row for each series of calls that a call belongs to. */
export const countedCalls = countersignSchema.table(
  "counted_calls",
  {
    approvalId: text("approval_id").notNull(),
    /** Names the series and whose calls it counts together. A hash, because it may come from an argument. */
    counter: text("counter").notNull(),
    tenantId: text("tenant_id").notNull(),
    /** The order in which the calls were counted. */
    position: bigserial("position", { mode: "number" }).notNull(),
    at: time("at").notNull(),
    /** What the call adds; `null` if its arguments have no such amount. */
    amount: numeric("amount"),
    /** False once the call is denied, has expired or was withdrawn: it did not run and never will. A trigger sets it. */
    counts: boolean("counts").notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.approvalId, table.counter] }),
    ofTenant("counted_calls_approval_of_tenant", [table.tenantId, table.approvalId], approvals).onDelete(
      "cascade",
    ),
    // With the amount, so that a sum reads no rows.
    index("counted_calls_counter")
      .on(table.tenantId, table.counter, table.at, table.amount)
      .where(sql`${table.counts}`),
  ],
);

/** Sums of counted calls by hours, and marks that an hour has changed. A cache: see counted-hours.sql. */
export const countedHours = countersignSchema.table(
  "counted_hours",
  {
    tenantId: text("tenant_id").notNull(),
    counter: text("counter").notNull(),
    /** The beginning, a whole hour of UTC. */
    hour: time("hour").notNull(),
    id: bigint("id", { mode: "number" }).generatedByDefaultAsIdentity().notNull(),
    /** `null`: a mark. */
    amount: numeric("amount"),
    /** The highest position of the calls in the sum. */
    lastPosition: bigint("last_position", { mode: "number" }),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.counter, table.hour, table.id] }),
    index("counted_hours_age").on(table.hour),
  ],
);

export const votes = countersignSchema.table(
  "votes",
  {
    approvalId: text("approval_id").notNull(),
    tenantId: text("tenant_id").notNull(),
    principalId: text("principal_id").notNull(),
    type: text("type").$type<Vote["type"]>().notNull().default("approve"),
    roles: text("roles").array().notNull().default([]),
    /** The approver on whose behalf this person decided, if the rule itself does not name them. */
    onBehalfOf: text("on_behalf_of"),
    onBehalfOfRoles: text("on_behalf_of_roles").array(),
    reason: text("reason"),
    votedAt: time("voted_at").notNull(),
    /** Signature over the vote. */
    token: text("token"),
    /** The vote counts only while this is null. A row stays, because no role of the application may delete votes. */
    takenBackAt: time("taken_back_at"),
  },
  (table) => [
    primaryKey({ columns: [table.approvalId, table.principalId] }),
    ofTenant("votes_approval_of_tenant", [table.tenantId, table.approvalId], approvals),
  ],
);

/** Viewers of calls, and the names of all people who had to do with a call. An expired row is only a name. */
export const viewers = countersignSchema.table(
  "viewers",
  {
    approvalId: text("approval_id").notNull(),
    tenantId: text("tenant_id").notNull(),
    principalId: text("principal_id").notNull(),
    displayName: text("display_name"),
    until: time("until").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.approvalId, table.principalId] }),
    ofTenant("viewers_approval_of_tenant", [table.tenantId, table.approvalId], approvals),
  ],
);

/** Until when a person has put a call aside. An expired row means nothing. */
export const snoozes = countersignSchema.table(
  "snoozes",
  {
    approvalId: text("approval_id").notNull(),
    tenantId: text("tenant_id").notNull(),
    principalId: text("principal_id").notNull(),
    until: time("until").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.approvalId, table.principalId] }),
    ofTenant("snoozes_approval_of_tenant", [table.tenantId, table.approvalId], approvals).onDelete("cascade"),
    index("snoozes_of_person").on(table.tenantId, table.principalId, table.until),
  ],
);

/** How often each person met the same refusal for a call. The audit log has the 1st, 10th, 100th … */
export const refusals = countersignSchema.table(
  "refusals",
  {
    approvalId: text("approval_id").notNull(),
    tenantId: text("tenant_id").notNull(),
    principalId: text("principal_id").notNull(),
    /** The type of its audit entry, such as `decision.refused`. */
    type: text("type").notNull(),
    code: text("code").notNull(),
    times: integer("times").notNull(),
    lastAt: time("last_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.approvalId, table.principalId, table.type, table.code] }),
    ofTenant("refusals_approval_of_tenant", [table.tenantId, table.approvalId], approvals),
  ],
);

/**
 * Messages of channels about approvals, and the outbox of those that are due. A transition writes one row without a
 * recipient for each of the approval's targets. Once the channel has named its recipients, they have rows of their own.
 */
export const deliveries = countersignSchema.table(
  "deliveries",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id").notNull(),
    approvalId: text("approval_id").notNull(),
    channel: text("channel").notNull(),
    /** The part of the rule's entry after the colon; `null` without one. */
    target: text("target"),
    /** `null` until the channel has named its recipients. */
    recipientId: text("recipient_id"),
    recipientLabel: text("recipient_label"),
    /** What happened last. */
    event: text("event").$type<DeliveryEvent>().notNull(),
    occurredAt: time("occurred_at").notNull(),
    state: text("state").$type<DeliveryState>().notNull().default("due"),
    /** Grows with each event. An event during an attempt therefore makes the message due again. */
    wantedVersion: integer("wanted_version").notNull().default(1),
    /** The version that was last sent; 0 if none was. */
    sentVersion: integer("sent_version").notNull().default(0),
    /**
     * The number of attempts. It changes when another sender takes over the row, so an old sender cannot end the
     * attempt.
     */
    attempts: integer("attempts").notNull().default(0),
    /** Failures since the last success. */
    failures: integer("failures").notNull().default(0),
    nextAttemptAt: time("next_attempt_at").notNull(),
    /** The end of the lease of the current sender; `null` if there is none. */
    leasedUntil: time("leased_until"),
    /** An attempt ended without an answer, so the message may have been sent although nothing was recorded. */
    uncertain: boolean("uncertain").notNull().default(false),
    reference: jsonb("reference").$type<ChannelReference>(),
    lastError: text("last_error"),
    createdAt: time("created_at").notNull(),
    sentAt: time("sent_at"),
    /** When somebody last asked for another attempt, which is made even if the recipient is disabled. */
    replayedAt: time("replayed_at"),
    /** The roundup that reports this call instead of a message of its own; for a roundup, its own id. */
    roundupId: text("roundup_id"),
  },
  (table) => [
    ofTenant("deliveries_approval_of_tenant", [table.tenantId, table.approvalId], approvals).onDelete(
      "cascade",
    ),
    index("deliveries_approval").on(table.tenantId, table.approvalId, table.channel, table.recipientId),
    index("deliveries_open")
      .on(table.state, table.nextAttemptAt)
      .where(sql`${table.state} in ('due', 'failed')`),
    index("deliveries_recipient").on(table.tenantId, table.channel, table.recipientId, table.createdAt),
    index("deliveries_roundup")
      .on(table.tenantId, table.channel, table.recipientId)
      .where(sql`${table.roundupId} is not null`),
  ],
);

/** Recipients whose channel counts failures, from the first failure until the next success. */
export const failingRecipients = countersignSchema.table(
  "failing_recipients",
  {
    tenantId: text("tenant_id").notNull(),
    channel: text("channel").notNull(),
    recipientId: text("recipient_id").notNull(),
    recipientLabel: text("recipient_label").notNull(),
    failingSince: time("failing_since").notNull(),
    lastFailedAt: time("last_failed_at").notNull(),
    /** The time since which nothing is sent to the recipient; `null` if it is not disabled. */
    disabledAt: time("disabled_at"),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.channel, table.recipientId] })],
);

/** Grants. A row ends by expiry, use or revocation, and is kept at least until it expires. */
export const grants = countersignSchema.table(
  "grants",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id").notNull(),
    scope: text("scope").$type<GrantScope>().notNull(),
    /** The scope's thread or requester; `null` for the whole team. */
    scopeId: text("scope_id"),
    toolName: text("tool_name").notNull(),
    /** A tool whose schema or description has changed since is another tool. */
    toolVersion: text("tool_version").notNull(),
    /** SHA-256 of the canonical arguments, if the grant covers exactly these. */
    inputHash: text("input_hash"),
    /** A CEL condition over the call, if the grant covers more than one; with neither, any arguments. */
    condition: text("condition"),
    /** Whether the condition may read redacted fields, because its author could. */
    authorSeesAll: boolean("author_sees_all").notNull().default(false),
    summary: text("summary").notNull(),
    grantedBy: text("granted_by").notNull(),
    /** The grantor's roles at the time. The grant covers only calls that such a person may decide. */
    grantedRoles: text("granted_roles").array().notNull().default([]),
    /** The approval that gave it. */
    approvalId: text("approval_id").notNull(),
    /** Lets one interrupted call run once more. It was approved already, so the rule need not be grantable. */
    rerun: boolean("rerun").notNull().default(false),
    /** Who may see and revoke it, according to the approval's rule. */
    approverRoles: text("approver_roles").array().notNull(),
    approverIds: text("approver_ids").array().notNull(),
    createdAt: time("created_at").notNull(),
    expiresAt: time("expires_at").notNull(),
    /** `null`: unlimited. */
    usesLeft: integer("uses_left"),
    usesTaken: integer("uses_taken").notNull().default(0),
    /** `null`: no limit of what its calls spend. */
    budget: jsonb("budget").$type<GrantBudget>(),
    /** What its calls have spent of the budget since they started, whatever became of them. */
    spent: numeric("spent").notNull().default("0"),
    revokedAt: time("revoked_at"),
    revokedBy: text("revoked_by"),
    /** Signature over what the grant covers. */
    token: text("token"),
  },
  (table) => [
    index("grants_lookup").on(table.tenantId, table.toolName, table.scope, table.scopeId),
    index("grants_list").on(table.tenantId, table.createdAt, table.id),
  ],
);

/**
 * Operators' orders that calls of some tools must not start. A release fills the rest of the row, which then stays for
 * at least 30 days.
 */
export const stops = countersignSchema.table(
  "stops",
  {
    id: text("id").primaryKey(),
    /** `null`: applies to all tenants. */
    tenantId: text("tenant_id"),
    /** Exact name or glob. */
    tool: text("tool").notNull(),
    reason: text("reason").notNull(),
    engagedBy: text("engaged_by").notNull(),
    engagedAt: time("engaged_at").notNull(),
    releasedBy: text("released_by"),
    releasedAt: time("released_at"),
    releaseReason: text("release_reason"),
  },
  (table) => [
    index("stops_engaged").on(table.tenantId).where(isNull(table.releasedAt)),
    index("stops_list").on(table.tenantId, table.engagedAt, table.id),
  ],
);

/** Signed evidence of decisions and of operators' confirmations, each consumed once. */
export const evidence = countersignSchema.table(
  "evidence",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id").notNull(),
    /** Its approval; `null` for an operator's confirmation outside of approvals. */
    approvalId: text("approval_id"),
    origin: text("origin").$type<"runtime-ui-confirm" | "operator-contract-review">().notNull(),
    decision: text("decision").$type<Decision["type"]>().notNull(),
    principalId: text("principal_id").notNull(),
    /** How the person was authenticated, such as a channel's name; `null` if the host did not say. */
    via: text("via"),
    /** The digest of the decided call, or the payload hash of the confirmed action. */
    digest: text("digest").notNull(),
    /** The signed claims with their signature: a compact JWS. */
    token: text("token").notNull(),
    keyId: text("key_id").notNull(),
    createdAt: time("created_at").notNull(),
    expiresAt: time("expires_at").notNull(),
    consumedAt: time("consumed_at"),
  },
  (table) => [
    index("evidence_approval").on(table.tenantId, table.approvalId),
    index("evidence_age").on(table.tenantId, table.expiresAt, table.id),
  ],
);

export const auditEntries = countersignSchema.table(
  "audit_entries",
  {
    tenantId: text("tenant_id").notNull(),
    /** Position in the tenant's chain: 1, 2, 3 … without gaps. */
    position: bigint("position", { mode: "number" }).notNull(),
    approvalId: text("approval_id"),
    type: text("type").notNull(),
    actorId: text("actor_id"),
    at: time("at").notNull(),
    /** Canonical JSON; `json` instead of `jsonb`, so that the text stays what the hash covers. */
    data: json("data").$type<Record<string, unknown>>().notNull(),
    prevHash: text("prev_hash").notNull(),
    hash: text("hash").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.position] }),
    index("audit_approval").on(table.tenantId, table.approvalId, table.position),
    index("audit_grant_uses")
      .on(table.tenantId, sql`(${table.data} ->> 'grantId')`)
      .where(sql`${table.type} = 'approval.granted'`),
    index("audit_confirmations")
      .on(table.tenantId, sql`(${table.data} ->> 'evidenceId')`)
      .where(sql`${table.type} = 'confirmation.consumed'`),
  ],
);

/** The head of each tenant's chain. A writer holds its row until the commit. */
export const auditHeads = countersignSchema.table("audit_heads", {
  tenantId: text("tenant_id").primaryKey(),
  position: bigint("position", { mode: "number" }).notNull(),
  hash: text("hash").notNull(),
  /** Public events were sent for the entries up to this position. */
  publishedPosition: bigint("published_position", { mode: "number" }).notNull().default(0),
});

/**
 * Parts of audit logs whose entries were deleted because of their age. Each names the previous one, so the rows form a
 * chain; the log's own entry `audit.sealed` holds the hash of the newest.
 */
export const auditSegments = countersignSchema.table(
  "audit_segments",
  {
    tenantId: text("tenant_id").notNull(),
    firstPosition: bigint("first_position", { mode: "number" }).notNull(),
    lastPosition: bigint("last_position", { mode: "number" }).notNull(),
    /** Hash of the entry at `last_position`, which the first entry after it names. */
    headHash: text("head_hash").notNull(),
    /** Hash of the previous segment; 64 zeros for the first. */
    previousHash: text("previous_hash").notNull(),
    hash: text("hash").notNull(),
    sealedAt: time("sealed_at").notNull(),
    /** Signature over the segment. */
    token: text("token"),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.lastPosition] })],
);

/** Each person's inbox preferences. */
export const preferences = countersignSchema.table(
  "preferences",
  {
    tenantId: text("tenant_id").notNull(),
    principalId: text("principal_id").notNull(),
    data: jsonb("data").$type<Record<string, unknown>>().notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.principalId] })],
);

/** Browsers to which push messages are sent. Their endpoints and keys are secrets. */
export const pushSubscriptions = countersignSchema.table(
  "push_subscriptions",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id").notNull(),
    principalId: text("principal_id").notNull(),
    /** The roles of the person when their inbox last confirmed the subscription. */
    roles: text("roles").array().notNull(),
    endpoint: text("endpoint").notNull(),
    p256dh: text("p256dh").notNull(),
    auth: text("auth").notNull(),
    createdAt: time("created_at").notNull(),
    confirmedAt: time("confirmed_at").notNull(),
  },
  (table) => [
    // A browser belongs to one person, whatever their tenant.
    unique("push_subscriptions_endpoint").on(table.endpoint),
    index("push_subscriptions_of_person").on(table.tenantId, table.principalId),
    index("push_subscriptions_age").on(table.confirmedAt),
  ],
);

export const outbox = countersignSchema.table(
  "outbox",
  {
    /** One row per request: a wake-up only makes a run read the database, so a second one adds nothing. */
    requestId: text("request_id").primaryKey(),
    tenantId: text("tenant_id").notNull(),
    createdAt: time("created_at").notNull(),
    attempts: integer("attempts").notNull(),
    nextAttemptAt: time("next_attempt_at").notNull(),
  },
  (table) => [
    index("outbox_due").on(table.nextAttemptAt),
    ofTenant("outbox_request_of_tenant", [table.tenantId, table.requestId], requests),
  ],
);
