import { z } from "zod";
import { durationMs } from "../../duration.js";
import { risks } from "../../policy/rule.js";
import type { EndpointName } from "../endpoints.js";
import { decisionBody, decisionFields, statusList, text } from "../requests.js";
import {
  approvalViewSchema,
  auditEntrySchema,
  evidenceViewSchema,
  explanationSchema,
  grantViewSchema,
  pageOf,
  personSchema,
  preferencesSchema,
  principalViewSchema,
  threadMessageSchema,
  threadSummarySchema,
  threadViewSchema,
  time,
  verificationSchema,
} from "./approval-schemas.js";
import { problemSchema } from "./problem-schema.js";

/** What one endpoint takes and gives. */
export interface Contract {
  tag: string;
  summary: string;
  description?: string;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Headers that the endpoint reads, for the document. */
  headers?: z.ZodType;
  response: z.ZodType;
  /** Answers whoever asks, signed in or not. */
  open?: true;
  /** In bytes; 64 KiB where left out. */
  maxBodyBytes?: number;
}

/** Largest body of a decision, in bytes: a call's arguments may take 16 MiB. */
const decisionBytes = 20 * 1024 * 1024;

const limit = z.coerce.number().int().min(1).max(200).default(50);
const cursor = z.string().min(1).max(1000).optional();
const page = { limit, cursor };

const approvalsQuery = z.object({
  status: statusList.optional().describe("One or more of the states, separated by commas"),
  threadId: text.min(1).max(1000).optional(),
  tool: text.min(1).max(1000).optional().describe("Exactly this tool"),
  risk: z.enum(risks).optional(),
  assignee: text.min(1).max(200).optional().describe('A principal\'s id, or "me"'),
  mine: z
    .enum(["decidable", "asked"])
    .optional()
    .describe(
      "decidable: calls that wait and that the caller may decide; asked: calls that the caller has asked for",
    ),
  q: text
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe("Words, each of which stands in the summary, the tool's name or who asked"),
  sort: z
    .enum(["created", "-created", "expires", "-decided"])
    .default("created")
    .describe("expires: by the time left; -decided: decided last first"),
  ...page,
});

const auditPage = { ...page };

const extendBy = text.max(50).transform((given, context) => {
  const value = durationMs(given);
  if (value !== undefined) return value;
  context.addIssue('must be a length of time, such as "10m"');
  return z.NEVER;
});

const idempotencyKey = z.object({
  "idempotency-key": z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/)
    .optional()
    .describe("The same key with the same body gives the same answer; with another body it is refused"),
});

/** Every endpoint's schemas: what checks requests, types handlers and the client, and makes the document. */
export const contract = {
  health: {
    tag: "health",
    summary: "Whether the process is up",
    open: true,
    response: z.object({ status: z.literal("up") }),
  },
  readiness: {
    tag: "health",
    summary: "Whether the database answers and has every migration; 503 where not",
    open: true,
    response: z.object({ status: z.literal("ready") }),
  },
  me: {
    tag: "session",
    summary: "Who you are, and what you may do beside deciding",
    response: z.object({
      principal: principalViewSchema,
      can: z.object({ auditAll: z.boolean(), seeEverything: z.boolean() }),
      serverTime: time,
    }),
  },
  listApprovals: {
    tag: "approvals",
    summary: "What you may decide or have asked for",
    query: approvalsQuery,
    response: pageOf(approvalViewSchema),
  },
  countApprovals: {
    tag: "approvals",
    summary: "How many calls wait for you, by risk",
    description: "Counted up to 10,000 each.",
    response: z.object({
      pending: z.int(),
      byRisk: z.object({ low: z.int(), medium: z.int(), high: z.int(), critical: z.int() }),
      interrupted: z.int().describe("Cut off, and nobody has said yet what became of them"),
      serverTime: time,
    }),
  },
  getApproval: {
    tag: "approvals",
    summary: "One approval, with what was said before it",
    response: approvalViewSchema.extend({
      context: z
        .object({
          agentSaid: z
            .string()
            .nullable()
            .describe("What the model wrote beside the call, with hidden values replaced"),
          messages: z.array(threadMessageSchema).describe("The end of the conversation before the call"),
        })
        .describe("Words of the model and the user, not verified"),
      serverTime: time,
    }),
  },
  listApprovalAudit: {
    tag: "audit",
    summary: "Everything that happened to one approval, oldest first",
    query: z.object(auditPage),
    response: pageOf(auditEntrySchema),
  },
  getEvidence: {
    tag: "audit",
    summary: "The signed proof of the decision",
    response: evidenceViewSchema,
  },
  decide: {
    tag: "decisions",
    summary: "Approve, edit, deny or answer one call",
    description:
      "Exactly one decision is recorded, whoever asks how often. Repeating your own decision word for word changes nothing and gives the same answer; a loser gets 409 and the winner's name.",
    headers: idempotencyKey,
    body: decisionBody,
    response: approvalViewSchema,
    maxBodyBytes: decisionBytes,
  },
  checkEdit: {
    tag: "decisions",
    summary: "Whether changed arguments could be approved, and what would change",
    description: "Decides nothing.",
    body: z.strictObject({ input: decisionFields.input.unwrap() }),
    response: z.discriminatedUnion("ok", [
      z.object({
        ok: z.literal(true),
        changes: z.array(
          z.object({
            field: z.string(),
            from: z.unknown().optional().describe("Left out where the field is new"),
            to: z.unknown().optional().describe("Left out where the field is gone"),
          }),
        ),
      }),
      z.object({
        ok: z.literal(false),
        code: z.string(),
        errors: z.array(z.object({ field: z.string(), message: z.string() })),
      }),
    ]),
    maxBodyBytes: decisionBytes,
  },
  assign: {
    tag: "people",
    summary: "Say who should decide a pending call",
    body: z.strictObject({
      to: text.trim().min(1).max(200).nullable().describe("A principal's id; null takes it back"),
    }),
    response: approvalViewSchema,
  },
  listPeople: {
    tag: "people",
    summary: "Whom you can pass a call on to, as far as the host tells",
    description: "Empty where the host names nobody. The first thousand.",
    response: z.object({ items: z.array(personSchema) }),
  },
  setViewing: {
    tag: "people",
    summary: "Say that you have a pending call open, for a minute",
    description: "Of a call that is over it notes nothing, and answers with what became of it.",
    body: z.strictObject({ active: z.boolean() }),
    response: approvalViewSchema,
  },
  extend: {
    tag: "people",
    summary: "Lengthen the time to decide",
    body: z.strictObject({ by: extendBy.describe('A length of time, such as "10m"') }),
    response: approvalViewSchema,
  },
  resolve: {
    tag: "people",
    summary: "Record what became of a call that was cut off",
    body: z.strictObject({
      outcome: z.enum(["done", "failed", "rerun"]),
      note: text.trim().min(1).max(2000).optional(),
    }),
    response: approvalViewSchema,
  },
  decideMany: {
    tag: "decisions",
    summary: "Approve or deny several calls, each with the digest that was shown",
    description: "Each item has its own outcome, in the order of the request; one that fails stops no other.",
    headers: idempotencyKey,
    body: z.strictObject({
      items: z
        .array(
          z.strictObject({
            id: text.min(1).max(1000),
            digest: decisionFields.digest,
            type: z.enum(["approve", "deny"]),
            reason: decisionFields.reason,
          }),
        )
        .min(1)
        .max(200)
        .refine((items) => new Set(items.map(({ id }) => id)).size === items.length, {
          message: "must name each approval once",
        }),
    }),
    response: z.object({
      results: z.array(
        z.discriminatedUnion("ok", [
          z.object({ id: z.string(), ok: z.literal(true), approval: approvalViewSchema }),
          z.object({ id: z.string(), ok: z.literal(false), problem: problemSchema }),
        ]),
      ),
    }),
    maxBodyBytes: 1024 * 1024,
  },
  getRequest: {
    tag: "approvals",
    summary: "The gated calls of one agent response that you may see",
    response: z.object({ id: z.string(), items: z.array(approvalViewSchema), serverTime: time }),
  },
  listQuestions: {
    tag: "approvals",
    summary: "What agents ask people; answered as a decision of the type respond",
    query: z.object(page),
    response: pageOf(
      approvalViewSchema.extend({
        question: z.object({
          message: z.string(),
          choices: z.array(z.string()).optional(),
          form: z.record(z.string(), z.unknown()).optional(),
        }),
      }),
    ),
  },
  listGrants: {
    tag: "grants",
    summary: "Standing approvals that you may see, newest first",
    query: z.object({
      live: z.enum(["true", "false"]).optional().describe("true: only those that can still be used"),
      ...page,
    }),
    response: pageOf(grantViewSchema),
  },
  getGrant: { tag: "grants", summary: "One standing approval", response: grantViewSchema },
  revokeGrant: {
    tag: "grants",
    summary: "End a standing approval; again changes nothing",
    response: grantViewSchema,
  },
  listThreads: {
    tag: "threads",
    summary: "Your conversations, newest first",
    query: z.object({ limit }),
    response: z.object({ items: z.array(threadSummarySchema) }),
  },
  getThread: { tag: "threads", summary: "One conversation", response: threadViewSchema },
  listAudit: {
    tag: "audit",
    summary: "The audit log: auditors read all of it, others what is about calls they may see",
    query: z.object({ approvalId: text.min(1).max(1000).optional(), ...auditPage }),
    response: pageOf(auditEntrySchema),
  },
  verifyAudit: {
    tag: "audit",
    summary: "Whether the tenant's log is what was written, for auditors",
    response: verificationSchema,
  },
  explainPolicy: {
    tag: "policy",
    summary: "What the policy says about a call, and which rules said it, for auditors",
    body: z.strictObject({
      toolName: text.min(1).max(1000),
      input: decisionFields.input.unwrap(),
      principal: z
        .strictObject({ id: text.min(1).max(200), roles: z.array(text.min(1).max(200)).max(100) })
        .optional()
        .describe("Who asks the agent to act"),
      threadId: text.min(1).max(1000).optional(),
      profile: text.min(1).max(100).optional(),
    }),
    response: explanationSchema,
    maxBodyBytes: decisionBytes,
  },
  getPreferences: { tag: "session", summary: "How you like your inbox", response: preferencesSchema },
  setPreferences: {
    tag: "session",
    summary: "Change how you like your inbox",
    body: preferencesSchema,
    response: preferencesSchema,
  },
  listPendingApprovals: {
    tag: "compatibility",
    summary: "What waits, in the form of HistoryConfig's listPendingApprovals",
    query: z.object({ threadId: text.min(1).max(1000).optional() }),
    response: z.array(
      z.object({
        approvalId: z.string(),
        threadId: z.string(),
        eventIdToWaitFor: z.string(),
        toolName: z.string(),
        toolInput: z.unknown(),
        toolCallId: z.string(),
        status: z.literal("pending"),
        createdAt: time,
        expiresAt: time.optional(),
      }),
    ),
  },
  approveTool: {
    tag: "compatibility",
    summary: "A decision as the default transport of @inngest/use-agent sends it",
    description:
      "It names the call by its thread and id and not by what was shown; prefer POST /approvals/{id}/decision, whose digest does.",
    body: z.object({
      toolCallId: text.min(1).max(1000),
      threadId: text.min(1).max(1000),
      action: z.enum(["approve", "deny"]),
      reason: decisionFields.reason,
    }),
    response: approvalViewSchema,
  },
} as const satisfies Record<EndpointName, Contract>;

export type ContractOf<Name extends EndpointName> = (typeof contract)[Name];
