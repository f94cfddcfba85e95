import {
  bigint,
  bigserial,
  boolean,
  index,
  integer,
  json,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type {
  Approval,
  ApprovalTerms,
  Decision,
  PolicyContext,
  Resolution,
  Vote,
  WithdrawalCause,
} from "../approval/approval.js";
import type { HandlerKind } from "../approval/handler-kind.js";
import type { ApprovalStatus } from "../approval/status.js";
import type { GrantScope } from "../policy/rule.js";

/** Everything of Countersign lives in this Postgres schema; JSON of users is text, since jsonb alters it. */
export const countersignSchema = pgSchema("countersign");

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
    /** What makes a repeated write of the same entry a no-op. */
    key: text("key").notNull(),
    bodyJson: text("body_json").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (table) => [uniqueIndex("thread_entries_key").on(table.tenantId, table.threadId, table.key)],
);

export const requests = countersignSchema.table(
  "requests",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id").notNull(),
    threadId: text("thread_id"),
    runId: text("run_id"),
    /** Unguessable; a wake-up must carry it. It gives no authority: a woken run reads the database. */
    wakeUpToken: text("wake_up_token").notNull(),
    /** What the model wrote beside its calls, with what is hidden replaced already. */
    said: text("said"),
    createdAt: time("created_at").notNull(),
    /** How often a run has begun to wait for it; 0: there is nobody to wake. */
    rounds: integer("rounds").notNull().default(0),
    /** When the run took note that nothing is open any more. */
    settledAt: time("settled_at"),
  },
  (table) => [index("requests_run").on(table.runId)],
);

/** Runs that were cancelled or have failed, for a while: what such a run still proposes is over from the start. */
export const endedRuns = countersignSchema.table(
  "ended_runs",
  {
    runId: text("run_id").primaryKey(),
    cause: text("cause").$type<WithdrawalCause>().notNull(),
    endedAt: time("ended_at").notNull(),
  },
  (table) => [index("ended_runs_age").on(table.endedAt)],
);

export const approvals = countersignSchema.table(
  "approvals",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id").notNull(),
    requestId: text("request_id")
      .notNull()
      .references(() => requests.id),
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
    editedInputJson: text("edited_input_json"),
    editedDigest: text("edited_digest"),
    inputSchemaJson: text("input_schema_json"),
    policyContext: jsonb("policy_context").$type<PolicyContext>().notNull(),
    status: text("status").$type<ApprovalStatus>().notNull(),
    verdict: text("verdict").$type<Approval["verdict"]>().notNull(),
    summary: text("summary").notNull(),
    risk: text("risk").$type<Approval["risk"]>().notNull(),
    terms: jsonb("terms").$type<ApprovalTerms>().notNull(),
    reason: text("reason"),
    approverRoles: text("approver_roles").array().notNull(),
    approverIds: text("approver_ids").array().notNull(),
    policyVersion: text("policy_version").notNull(),
    timeoutMs: bigint("timeout_ms", { mode: "number" }).notNull(),
    createdAt: time("created_at").notNull(),
    announcedAt: time("announced_at"),
    expiresAt: time("expires_at"),
    /** How many rungs of the ladder have been taken. */
    rungsDone: integer("rungs_done").notNull().default(0),
    decisionType: text("decision_type").$type<Decision["type"]>(),
    decidedBy: text("decided_by"),
    decisionReason: text("decision_reason"),
    decidedAt: time("decided_at"),
    withdrawalCause: text("withdrawal_cause").$type<WithdrawalCause>(),
    startedAt: time("started_at"),
    /** As what kind of handler it was started; only the same kind may go on after a crash. */
    handlerKind: text("handler_kind").$type<HandlerKind>(),
    finishedAt: time("finished_at"),
    responseJson: text("response_json"),
    outcomeJson: text("outcome_json"),
    assigneeId: text("assignee_id"),
    assignedBy: text("assigned_by"),
    grantId: text("grant_id"),
    duplicateOf: text("duplicate_of"),
    extensionsUsed: integer("extensions_used").notNull().default(0),
    resolutionOutcome: text("resolution_outcome").$type<Resolution["outcome"]>(),
    resolvedBy: text("resolved_by"),
    resolutionNote: text("resolution_note"),
    resolvedAt: time("resolved_at"),
  },
  (table) => [
    index("approvals_request").on(table.requestId),
    index("approvals_run").on(table.runId),
    index("approvals_list").on(table.tenantId, table.status, table.createdAt, table.id),
    index("approvals_thread").on(table.tenantId, table.threadId, table.createdAt),
    index("approvals_due").on(table.status, table.expiresAt),
    index("approvals_expiring").on(table.tenantId, table.status, table.expiresAt, table.id),
    index("approvals_decided").on(table.tenantId, table.decidedAt, table.id),
  ],
);

export const votes = countersignSchema.table(
  "votes",
  {
    approvalId: text("approval_id")
      .notNull()
      .references(() => approvals.id),
    tenantId: text("tenant_id").notNull(),
    principalId: text("principal_id").notNull(),
    type: text("type").$type<Vote["type"]>().notNull().default("approve"),
    roles: text("roles").array().notNull().default([]),
    /** Who let this person decide, where the rule itself does not name them. */
    onBehalfOf: text("on_behalf_of"),
    reason: text("reason"),
    votedAt: time("voted_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.approvalId, table.principalId] })],
);

/** Who has which call open; a row that is past its time means nothing. */
export const viewers = countersignSchema.table(
  "viewers",
  {
    approvalId: text("approval_id")
      .notNull()
      .references(() => approvals.id),
    tenantId: text("tenant_id").notNull(),
    principalId: text("principal_id").notNull(),
    displayName: text("display_name"),
    until: time("until").notNull(),
  },
  (table) => [primaryKey({ columns: [table.approvalId, table.principalId] })],
);

/** Standing approvals. A row is never deleted: it ends by its time, its uses, or a revocation. */
export const grants = countersignSchema.table(
  "grants",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id").notNull(),
    scope: text("scope").$type<GrantScope>().notNull(),
    /** The thread or the requester that the scope means; `null` for the whole team. */
    scopeId: text("scope_id"),
    toolName: text("tool_name").notNull(),
    /** A tool whose schema or description has changed since is another tool. */
    toolVersion: text("tool_version").notNull(),
    /** SHA-256 of the canonical arguments, where the grant is for exactly these. */
    inputHash: text("input_hash"),
    /** A CEL condition over the call, where it is for more; neither: any arguments. */
    condition: text("condition"),
    summary: text("summary").notNull(),
    grantedBy: text("granted_by").notNull(),
    /** What the grantor was then; the grant covers only calls that such a person may decide. */
    grantedRoles: text("granted_roles").array().notNull().default([]),
    /** The approval with which it was given. */
    approvalId: text("approval_id").notNull(),
    /** Lets one cut-off call be made once more; it was approved already, so the rule need not be grantable. */
    rerun: boolean("rerun").notNull().default(false),
    /** Who may see and revoke it, as the approval's rule says. */
    approverRoles: text("approver_roles").array().notNull(),
    approverIds: text("approver_ids").array().notNull(),
    createdAt: time("created_at").notNull(),
    expiresAt: time("expires_at").notNull(),
    /** `null`: any number. */
    usesLeft: integer("uses_left"),
    usesTaken: integer("uses_taken").notNull().default(0),
    revokedAt: time("revoked_at"),
    revokedBy: text("revoked_by"),
  },
  (table) => [
    index("grants_lookup").on(table.tenantId, table.toolName, table.scope, table.scopeId),
    index("grants_list").on(table.tenantId, table.createdAt, table.id),
  ],
);

/** Signed proofs of decisions and of operators' confirmations, each to be consumed once. */
export const evidence = countersignSchema.table(
  "evidence",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id").notNull(),
    /** The approval that it is about; `null` for a confirmation that an operator gave elsewhere. */
    approvalId: text("approval_id"),
    origin: text("origin").$type<"runtime-ui-confirm" | "operator-contract-review">().notNull(),
    decision: text("decision").$type<Decision["type"]>().notNull(),
    principalId: text("principal_id").notNull(),
    /** The digest of what was decided, or the payload hash of what was confirmed. */
    digest: text("digest").notNull(),
    /** What the signature covers, and the signature: a compact JWS. */
    token: text("token").notNull(),
    keyId: text("key_id").notNull(),
    createdAt: time("created_at").notNull(),
    expiresAt: time("expires_at").notNull(),
    consumedAt: time("consumed_at"),
  },
  (table) => [index("evidence_approval").on(table.tenantId, table.approvalId)],
);

export const auditEntries = countersignSchema.table(
  "audit_entries",
  {
    tenantId: text("tenant_id").notNull(),
    /** Place in the tenant's chain: 1, 2, 3 … without gaps. */
    position: bigint("position", { mode: "number" }).notNull(),
    approvalId: text("approval_id"),
    type: text("type").notNull(),
    actorId: text("actor_id"),
    at: time("at").notNull(),
    /** Canonical JSON; `json` and not `jsonb`, so that the text stays what the hash covers. */
    data: json("data").$type<Record<string, unknown>>().notNull(),
    prevHash: text("prev_hash").notNull(),
    hash: text("hash").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.position] }),
    index("audit_approval").on(table.tenantId, table.approvalId, table.position),
  ],
);

/** Where each tenant's chain ends. Whoever appends holds its row until the commit. */
export const auditHeads = countersignSchema.table("audit_heads", {
  tenantId: text("tenant_id").primaryKey(),
  position: bigint("position", { mode: "number" }).notNull(),
  hash: text("hash").notNull(),
});

/** How each person likes their inbox. */
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

/** Keys that clients gave to requests, and what each was used for. */
export const idempotencyKeys = countersignSchema.table(
  "idempotency_keys",
  {
    tenantId: text("tenant_id").notNull(),
    principalId: text("principal_id").notNull(),
    key: text("key").notNull(),
    requestHash: text("request_hash").notNull(),
    createdAt: time("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.principalId, table.key] }),
    index("idempotency_keys_age").on(table.createdAt),
  ],
);

export const outbox = countersignSchema.table(
  "outbox",
  {
    /** One row a request: a wake-up says "look", so a second one adds nothing. */
    requestId: text("request_id")
      .primaryKey()
      .references(() => requests.id),
    tenantId: text("tenant_id").notNull(),
    createdAt: time("created_at").notNull(),
    attempts: integer("attempts").notNull(),
    nextAttemptAt: time("next_attempt_at").notNull(),
  },
  (table) => [index("outbox_due").on(table.nextAttemptAt)],
);
