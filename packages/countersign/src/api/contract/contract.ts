import { countedSchema } from "@countersign/policy/internal/policy/counted-schema";
import { risks } from "@countersign/policy/internal/policy/rules/rule";
import { effectsSchema, reversibleSchema } from "@countersign/policy/internal/previews/effect-schema";
import { approvalStatuses } from "@countersign/policy/internal/shared/approval-status";
import { maxTimeoutMs } from "@countersign/policy/internal/shared/duration";
import { storableTextSchema as text } from "@countersign/policy/internal/shared/storable-text";
import * as z from "zod";
import { listNames } from "../../approval/list-names.js";
import { outcomes } from "../../store/ports/reading-port.js";
import { maxUndone } from "../../undo/max-undone.js";
import type { EndpointName } from "../endpoints.js";
import { decisionBody, decisionFields, durationText, listOf } from "../requests.js";
import {
  approvalViewSchema,
  auditEntrySchema,
  earlierCallSchema,
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
import { deliveryViewSchema } from "./delivery-schema.js";
import { insightQuery, insightSchema } from "./insight-schemas.js";
import { pushEndpointBody, pushSubscriptionBody, pushViewSchema, subscribedSchema } from "./push-schemas.js";
import { approvalShown, eachOnce, resultsOfEach } from "./several-calls.js";
import { releaseBody, stopBody, stopViewSchema } from "./stop-schemas.js";

/** Schemas and metadata of one endpoint. */
export interface Contract {
  tag: string;
  summary: string;
  description?: string;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Headers that the endpoint reads, for the OpenAPI document. */
  response: z.ZodType;
  /** Requires no authentication. */
  open?: true;
  /** Maximum body size in bytes. @default 65536 */
  maxBodyBytes?: number;
}

/** Maximum body size of a decision, in bytes. Arguments may take 2 MiB, and JSON escapes can multiply that. */
const decisionBytes = 8 * 1024 * 1024;

const limit = z.coerce.number().int().min(1).max(200).default(50);
const cursor = text.min(1).max(1000).optional();
const page = { limit, cursor };

const withinTime = durationText.refine((time) => time <= maxTimeoutMs, "must be at most 365 days");

const timeGiven = z.iso.datetime({ offset: true }).transform((given) => new Date(given));

const filters = {
  status: listOf(approvalStatuses).optional().describe("One or more statuses, separated by commas"),
  threadId: text.min(1).max(1000).optional(),
  tool: text.min(1).max(1000).optional().describe("Exact tool name"),
  requester: text.min(1).max(1000).optional().describe("The requester's id"),
  risk: listOf(risks).optional().describe("One or more risks, separated by commas"),
  endsWithin: withinTime.optional().describe('Only calls that expire within this time, such as "1h"'),
  outcome: z
    .enum(outcomes)
    .optional()
    .describe(
      "Only calls about which a person decided. decided: in any way; approved: with changes or without. What the policy or a grant decided is left out",
    ),
  decidedWithin: withinTime
    .optional()
    .describe(
      'Only calls decided since this time, such as "30d", before now, or before the creation of the approval in `before`',
    ),
  decidedAfter: timeGiven.optional().describe("Only calls decided after this time, ISO 8601"),
  decidedBefore: timeGiven.optional().describe("Only calls decided before this time, ISO 8601"),
  decidedBy: z
    .enum(["me"])
    .optional()
    .describe(
      "me: decided calls in which you have decided or voted. What a grant of yours approved is left out",
    ),
  before: text
    .min(1)
    .max(1000)
    .optional()
    .describe("An approval's id. Only other calls that were made no later than this one"),
  list: z
    .enum(listNames)
    .optional()
    .describe(
      "for_you: pending approvals that you may decide and have not yet; snoozed: the same, but you have put them aside until a later time; waiting: you have done your part, and they wait for others or can still be taken back; asked: calls made on your behalf that are not over; uncertain: interrupted calls whose outcome nobody has recorded",
    ),
  assignee: text.min(1).max(200).optional().describe('A principal\'s id, or "me"'),
  mine: z
    .enum(["decidable", "asked"])
    .optional()
    .describe("decidable: pending approvals that you may decide; asked: calls made on your behalf"),
  q: text
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe("Search words. Each must occur in the summary, the tool name or the requester's id"),
};

const approvalsQuery = z.object({
  ...filters,
  fields: z
    .enum(["row"])
    .optional()
    .describe("row: without arguments, results and what is derived from them, for lists"),
  sort: z
    .enum(["created", "-created", "expires", "-decided"])
    .default("created")
    .describe("expires: soonest expiry first; -decided: latest decision first"),
  ...page,
});

const auditPage = { ...page };

/**
 * Every endpoint's schemas. They validate requests, type handlers and the client, and generate the OpenAPI document.
 */
export const contract = {
  health: {
    tag: "health",
    summary: "Check that the process is up",
    open: true,
    response: z.object({ status: z.literal("up") }),
  },
  readiness: {
    tag: "health",
    summary:
      "Check that the database responds, is fully migrated and accepts writes; 503 if not. Degraded: decisions work, but waiting runs may not resume, or a channel reports nothing",
    open: true,
    response: z.object({
      status: z.enum(["ready", "degraded"]),
      problems: z
        .array(z.enum(["engine_silent", "runs_lost", "deliveries_failing", "recipients_disabled"]))
        .optional()
        .describe(
          "engine_silent: the workflow engine has not responded for 3 minutes. runs_lost: it lost runs within the last 15 minutes. deliveries_failing: a channel has refused a message for 15 minutes, or one was given up within the last 15 minutes. recipients_disabled: a recipient has refused everything for days and gets nothing more",
        ),
    }),
  },
  me: {
    tag: "session",
    summary: "Get the signed-in principal and their permissions",
    response: z.object({
      principal: principalViewSchema,
      can: z.object({ auditAll: z.boolean(), seeEverything: z.boolean(), stop: z.boolean() }),
      serverTime: time,
    }),
  },
  listApprovals: {
    tag: "approvals",
    summary: "List the approvals that you may decide or requested",
    query: approvalsQuery,
    response: pageOf(approvalViewSchema),
  },
  countApprovals: {
    tag: "approvals",
    summary: "Count the pending approvals that you may decide, by risk",
    description: "Counts are exact up to 10,000; 10,001 means more.",
    query: z.object({
      decidedAfter: timeGiven
        .optional()
        .describe("Counts the calls decided after this time in which you have decided or voted. ISO 8601"),
    }),
    response: z.object({
      pending: z.int(),
      byRisk: z.object({ low: z.int(), medium: z.int(), high: z.int(), critical: z.int() }),
      interrupted: z.int().describe("Interrupted calls whose outcome nobody has recorded yet"),
      lists: z
        .object({ for_you: z.int(), snoozed: z.int(), waiting: z.int(), asked: z.int(), uncertain: z.int() })
        .describe("The number of calls in each of your lists"),
      decidedByYou: z
        .int()
        .optional()
        .describe("With decidedAfter: the calls that decidedBy=me lists with the same decidedAfter"),
      nextReturn: time
        .nullable()
        .describe("When the first of the calls that you have put aside comes back. Then ask again"),
      serverTime: time,
    }),
  },
  listFacets: {
    tag: "approvals",
    summary: "Count the approvals of a list that meet a filter, and say what the list is about",
    description:
      "Counts are exact up to 10,000; 10,001 means more. Each facet has at most 50 values, most frequent first.",
    query: z.object({ ...filters, list: filters.list.unwrap().default("for_you") }),
    response: z.object({
      found: z.int().describe("The approvals of the list that meet the filter"),
      risks: z.array(z.object({ value: z.enum(risks), count: z.int() })),
      tools: z.array(
        z.object({
          value: z.string(),
          label: z
            .string()
            .nullable()
            .describe("What the rules call its calls; null without one, and if they have several"),
          count: z.int(),
        }),
      ),
      requesters: z.array(z.object({ value: z.string(), count: z.int() })),
      serverTime: time,
    }),
  },
  getApproval: {
    tag: "approvals",
    summary: "Get an approval with the conversation before it",
    response: approvalViewSchema.extend({
      context: z
        .object({
          modelText: z
            .string()
            .nullable()
            .describe("Text that the model wrote with the call, with hidden values replaced"),
          messages: z.array(threadMessageSchema).describe("The end of the conversation before the call"),
        })
        .describe("Unverified text from the model and the user"),
      history: z
        .object({
          calls: z.int().describe("Other decided calls of this tool for this requester in the last 30 days"),
          more: z.boolean().describe("There were more than are counted"),
          approved: z.int(),
          denied: z.int(),
          amount: z
            .object({
              path: z.string().describe("The argument with the amount"),
              median: z.number().describe("The median of the approved ones"),
              times: z.number().describe("This call's amount divided by the median"),
            })
            .nullable(),
          newValues: z
            .array(z.string())
            .describe("Arguments whose values no approved call had, where approved calls repeat values"),
        })
        .describe("What was decided about calls like this one, as far as you may see them"),
      earlier: earlierCallSchema
        .nullable()
        .describe(
          "The latest started call with the same tool and arguments in 30 days, in any conversation, that you may see",
        ),
      serverTime: time,
    }),
  },
  listApprovalAudit: {
    tag: "audit",
    summary: "List the audit entries of one approval, oldest first",
    query: z.object(auditPage),
    response: pageOf(auditEntrySchema),
  },
  listDeliveries: {
    tag: "channels",
    summary: "List the messages of channels about an approval, oldest first",
    response: z.object({ items: z.array(deliveryViewSchema), serverTime: time }),
  },
  replayDelivery: {
    tag: "channels",
    summary: "Send a message again that was given up. Requires a stop role",
    response: deliveryViewSchema,
  },
  getEvidence: {
    tag: "audit",
    summary: "Get the signed evidence of a decision",
    response: evidenceViewSchema,
  },
  decide: {
    tag: "decisions",
    summary: "Decide an approval: approve, edit, deny or respond",
    description:
      "Exactly one decision is recorded. Repeating your own decision unchanged is a no-op and returns the same result. If someone else decided first, you get 409 with their id.",
    body: decisionBody,
    response: approvalViewSchema,
    maxBodyBytes: decisionBytes,
  },
  takeBack: {
    tag: "decisions",
    summary: "Take back your decision while it is held, or your vote while the call waits for others",
    description:
      "The call then waits again. Repeating it is a no-op. Once the decision has taken effect, you get 409.",
    response: approvalViewSchema,
  },
  checkEdit: {
    tag: "decisions",
    summary: "Check edited arguments without deciding",
    description:
      "Returns whether the edited arguments could be approved, and what would change. Records nothing.",
    body: z.strictObject({ input: decisionFields.input.unwrap() }),
    response: z.discriminatedUnion("ok", [
      z.object({
        ok: z.literal(true),
        changes: z.array(
          z.object({
            field: z.string(),
            from: z.unknown().optional().describe("Absent if the field is new"),
            to: z.unknown().optional().describe("Absent if the field was removed"),
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
    summary: "Assign a pending approval to a person",
    body: z.strictObject({
      to: text.trim().min(1).max(200).nullable().describe("A principal's id; null removes the assignment"),
    }),
    response: approvalViewSchema,
  },
  listPeople: {
    tag: "people",
    summary: "List the people to whom you can assign an approval",
    description: "At most 1,000 people. Empty if the host provides no directory.",
    response: z.object({ items: z.array(personSchema) }),
  },
  setViewing: {
    tag: "people",
    summary: "Mark yourself as viewing a pending approval for one minute",
    description: "If the approval is already closed, nothing is recorded and the response shows its outcome.",
    body: z.strictObject({ active: z.boolean() }),
    response: approvalViewSchema,
  },
  snooze: {
    tag: "people",
    summary: "Put a pending approval aside until a time, for yourself alone",
    description:
      "Until then it is in your list snoozed instead of for_you. Nothing changes for anybody else, nor for its deadline, reminders and escalations. An assignment ends it. Repeating it replaces the time.",
    body: z.strictObject({
      until: z.iso
        .datetime({ offset: true })
        .transform((at) => new Date(at))
        .refine(
          (at) => at.getTime() > 0 && at.getTime() < 9e13,
          "must be after now and before the deadline of the call",
        )
        .describe("ISO 8601. In the future, and at least a minute before the approval expires"),
    }),
    response: approvalViewSchema,
  },
  endSnooze: {
    tag: "people",
    summary: "Bring back an approval that you have put aside. Idempotent",
    response: approvalViewSchema,
  },
  extend: {
    tag: "people",
    summary: "Extend an approval's deadline",
    body: z.strictObject({ by: durationText.describe('A duration, such as "10m"') }),
    response: approvalViewSchema,
  },
  resolve: {
    tag: "people",
    summary: "Record the outcome of an interrupted call",
    body: z.strictObject({
      outcome: z.enum(["done", "failed", "rerun"]),
      note: text.trim().min(1).max(2000).optional(),
    }),
    response: approvalViewSchema,
  },
  undo: {
    tag: "decisions",
    summary: "Undo a call that has run",
    description:
      "Asks for the undo of a call that you may decide, and approves it as far as you may. The response is the undo: a call of its own, which runs outside of the agent's run, or waits for others. Asking again returns the same undo until it has ended.",
    body: z.strictObject({ digest: decisionFields.digest, reason: decisionFields.reason }),
    response: approvalViewSchema,
  },
  undoMany: {
    tag: "decisions",
    summary: "Undo several calls, that of the latest call first",
    description:
      "Results are in the order of the request, each with the undo. A call that cannot be undone is left, with the reason, and holds up no other. Each undo runs when the one before it is over, whatever has become of it.",
    body: z.strictObject({
      items: eachOnce(z.strictObject(approvalShown), maxUndone),
      reason: decisionFields.reason,
    }),
    response: resultsOfEach,
  },
  decideMany: {
    tag: "decisions",
    summary: "Approve or deny several calls, each with the digest you were shown",
    description: "Results are in the order of the request. A failed item does not affect the others.",
    body: z.strictObject({
      items: eachOnce(
        z.strictObject({
          ...approvalShown,
          type: z.enum(["approve", "deny"]),
          reason: decisionFields.reason,
          holdMs: decisionFields.holdMs,
        }),
        200,
      ),
    }),
    response: resultsOfEach,
    maxBodyBytes: 1024 * 1024,
  },
  getRequest: {
    tag: "approvals",
    summary: "Get the gated calls of one agent response",
    response: z.object({ id: z.string(), items: z.array(approvalViewSchema), serverTime: time }),
  },
  listQuestions: {
    tag: "approvals",
    summary: "List open questions from agents. Answer one with a decision of type respond",
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
  getInsight: {
    tag: "insight",
    summary: "Get how long calls waited for people, what people decided, and rules that would follow",
    description:
      "Only calls that you may see count, and only decisions of people. Suggestions are for auditors, and come from at most the latest 2,000 decided calls.",
    query: insightQuery,
    response: insightSchema,
  },
  listGrants: {
    tag: "grants",
    summary: "List the grants that you may see, newest first",
    query: z.object({
      live: z.enum(["true", "false"]).optional().describe("true: only grants that can still be used"),
      ...page,
    }),
    response: pageOf(grantViewSchema),
  },
  getGrant: { tag: "grants", summary: "Get a grant", response: grantViewSchema },
  revokeGrant: {
    tag: "grants",
    summary: "Revoke a grant. Idempotent",
    response: grantViewSchema,
  },
  listStops: {
    tag: "stops",
    summary: "List the stops of your tenant and of all tenants, newest first. Requires a stop role",
    query: z.object({
      engaged: z.enum(["true", "false"]).optional().describe("true: only stops that are still engaged"),
      ...page,
    }),
    response: pageOf(stopViewSchema),
  },
  engageStop: {
    tag: "stops",
    summary: "Stop calls of matching tools before they start. Requires a stop role",
    description:
      "Once this returns, gated calls no longer start; ungated calls stop within one second in all processes. Calls that have started continue. Idempotent.",
    body: stopBody,
    response: stopViewSchema,
  },
  releaseStop: {
    tag: "stops",
    summary: "Release a stop. Requires a stop role. Idempotent",
    description: "Calls that it refused or withdrew stay refused or withdrawn.",
    body: releaseBody,
    response: stopViewSchema,
  },
  listThreads: {
    tag: "threads",
    summary: "List your conversations, newest first",
    query: z.object({ limit }),
    response: z.object({ items: z.array(threadSummarySchema) }),
  },
  getThread: {
    tag: "threads",
    summary: "Get a conversation, newest page first",
    description:
      "Messages within a page are oldest first; nextCursor returns the page before it. An agent response with its calls and their results counts as one message.",
    query: z.object(page),
    response: threadViewSchema,
  },
  listAudit: {
    tag: "audit",
    summary: "List audit entries. Auditors see all; others see entries of approvals they may see",
    query: z.object({ approvalId: text.min(1).max(1000).optional(), ...auditPage }),
    response: pageOf(auditEntrySchema),
  },
  verifyAudit: {
    tag: "audit",
    summary: "Verify the integrity of the tenant's audit log. Auditors only",
    response: verificationSchema,
  },
  explainPolicy: {
    tag: "policy",
    summary: "Evaluate the policy for a call and list the matching and the skipped rules. Auditors only",
    body: z
      .strictObject({
        toolName: text.min(1).max(1000),
        input: decisionFields.input.unwrap(),
        principal: z
          .strictObject({ id: text.min(1).max(200), roles: z.array(text.min(1).max(200)).max(100) })
          .optional()
          .describe("The person on whose behalf the agent acts"),
        threadId: text.min(1).max(1000).optional(),
        profile: text.min(1).max(100).optional(),
        effects: effectsSchema.optional(),
        reversible: reversibleSchema.optional(),
        counted: countedSchema.optional().describe("Instead of what is counted now, with this call"),
      })
      .refine((body) => body.reversible === undefined || body.effects !== undefined, {
        path: ["reversible"],
        message: "needs effects",
      }),
    response: explanationSchema,
    maxBodyBytes: decisionBytes,
  },
  getPreferences: { tag: "session", summary: "Get your inbox preferences", response: preferencesSchema },
  setPreferences: {
    tag: "session",
    summary: "Replace your inbox preferences",
    body: preferencesSchema,
    response: preferencesSchema,
  },
  getPush: {
    tag: "session",
    summary: "Get the key with which browsers subscribe to push messages",
    response: pushViewSchema,
  },
  subscribeToPush: {
    tag: "session",
    summary: "Subscribe a browser to push messages about calls that you may decide",
    description:
      "Repeat it whenever the inbox is opened: it confirms the subscription, which otherwise ends after 30 days, and your roles. A browser that somebody else had subscribed is yours from then on.",
    body: pushSubscriptionBody,
    response: subscribedSchema,
  },
  unsubscribeFromPush: {
    tag: "session",
    summary: "End the subscription of a browser of yours",
    body: pushEndpointBody,
    response: subscribedSchema,
  },
  listPendingApprovals: {
    tag: "compatibility",
    summary: "List pending approvals in the format of HistoryConfig's listPendingApprovals",
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
    summary: "Decide in the request format of @inngest/use-agent's default transport",
    description:
      "Identifies the call by thread and tool call id. A request without a digest is refused unless the host sets approveWithoutDigest.",
    body: z.object({
      toolCallId: text.min(1).max(1000),
      threadId: text.min(1).max(1000),
      action: z.enum(["approve", "deny"]),
      digest: decisionFields.digest.optional().describe("The digest of the call you were shown"),
      reason: decisionFields.reason,
    }),
    response: approvalViewSchema,
  },
} as const satisfies Record<EndpointName, Contract>;

export type ContractOf<Name extends EndpointName> = (typeof contract)[Name];
