import { z } from "zod";
import { approvalStatuses } from "../../approval/status.js";
import { decisionTypes, grantScopes, risks, verdictKinds } from "../../policy/rule.js";

const time = z.iso.datetime().describe("ISO 8601, UTC");
/** Any JSON value. */
const json = z.unknown();

const approvers = z.object({
  roles: z.array(z.string()),
  ids: z.array(z.string()),
});

const flag = z.object({
  path: z.string().describe("Where: input.note, editedInput.lines.0, toolName"),
  kind: z.enum(["invisible", "direction", "control", "mixed_script"]),
  characters: z.array(z.string()).describe("Each once, such as U+202E"),
  text: z.string().optional().describe("The word that mixes scripts"),
});

const grantAsked = z.object({
  scope: z.enum(grantScopes),
  arguments: z.union([z.literal("exact"), z.literal("any"), z.object({ when: z.string() })]),
  expiresIn: z.string().optional(),
  uses: z.int().optional(),
});

/** An approval as the API shows it. What the rules hide is hidden; the digest covers it all the same. */
export const approvalViewSchema = z
  .object({
    id: z.string(),
    requestId: z.string(),
    threadId: z.string().nullable(),
    runId: z.string().nullable(),
    agentName: z.string().nullable(),
    requesterId: z.string().nullable().describe("Who asked the agent to act"),
    toolCallId: z.string(),
    toolName: z.string(),
    input: json.describe("The arguments as they are to run, with what is hidden from the reader replaced"),
    inputSchema: json.describe("The tool's input schema (JSON Schema), or null"),
    redacted: z.array(z.string()).describe("Paths that are hidden from the reader"),
    redactedPatterns: z.array(z.string()).describe("Patterns that are hidden from the reader"),
    flags: z.array(flag).describe("What people cannot see in the texts, or would take for something else"),
    flagsTruncated: z.boolean(),
    digest: z.string().describe("Send it with the decision: it says which arguments you saw"),
    status: z.enum(approvalStatuses),
    verdict: z.enum(verdictKinds),
    summary: z.string().describe("One sentence, made of the real arguments"),
    risk: z.enum(risks),
    reason: z.string().nullable().describe("Why the policy asks"),
    decisions: z.array(z.enum(decisionTypes)).describe("What may be decided"),
    yourDecisions: z.array(z.enum(decisionTypes)).describe("What the reader may decide about it now"),
    mayDecide: z.boolean().describe("Whether the reader may decide it now"),
    quorum: z.int(),
    distinctRoles: z.boolean(),
    denials: z.int(),
    votes: z.array(
      z.object({
        principalId: z.string(),
        type: z.enum(["approve", "deny"]),
        onBehalfOf: z.string().nullable().describe("Who passed the call on to this person"),
        roles: z.array(z.string()),
        reason: z.string().nullable(),
        votedAt: time,
      }),
    ),
    stillNeeded: z.object({ approvals: z.int(), roles: z.array(z.string()) }),
    assigneeId: z.string().nullable(),
    delegable: z.boolean(),
    viewers: z.array(z.object({ principalId: z.string(), displayName: z.string().nullable(), until: time })),
    extensionsUsed: z.int(),
    extensionsLeft: z.int(),
    editedInput: json,
    editable: z.array(z.string()).describe("Paths that an edit may change"),
    codePreview: z
      .array(z.object({ toolName: z.string(), line: z.int(), column: z.int() }))
      .nullable()
      .describe("Calls that code in the arguments seems to make; context, never enforcement"),
    grantable: z.array(z.enum(grantScopes)).describe("For what the rule lets approvers allow such calls"),
    grantSuggestions: z
      .array(z.object({ words: z.string(), grant: grantAsked }))
      .describe("What the reader may let run from now on, together with an approval"),
    grantId: z.string().nullable(),
    duplicateOf: z.string().nullable(),
    approvers,
    policyVersion: z.string(),
    createdAt: time,
    announcedAt: time.nullable(),
    expiresAt: time.nullable(),
    decision: z
      .object({
        type: z.enum(decisionTypes),
        decidedBy: z.string().nullable().describe("null where the policy refused by itself"),
        reason: z.string().nullable(),
        decidedAt: time,
      })
      .nullable(),
    response: json.describe("The result that a person supplied"),
    outcome: json.describe("What the tool gave back: {status, data} or {status, error}"),
    handlerKind: z.enum(["once", "durable", "idempotent"]).nullable(),
    resolution: z
      .object({
        outcome: z.enum(["done", "failed", "rerun"]),
        resolvedBy: z.string(),
        note: z.string().nullable(),
        resolvedAt: time,
      })
      .nullable(),
    withdrawalCause: z.string().nullable(),
    startedAt: time.nullable(),
    finishedAt: time.nullable(),
  })
  .describe("One gated tool call waiting for, or having had, its decision");

export type ApprovalView = z.infer<typeof approvalViewSchema>;

/** One page of anything, and the server's time by which clients count down. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().describe("For the next page; null at the end"),
    serverTime: time,
  });
}

export const grantViewSchema = z.object({
  id: z.string(),
  scope: z.enum(grantScopes),
  scopeId: z.string().nullable(),
  toolName: z.string(),
  arguments: z.union([z.literal("exact"), z.literal("any"), z.object({ when: z.string() })]),
  rerun: z.boolean().describe("Given for one more run of a call that was cut off"),
  summary: z.string().describe("The call with which it was given"),
  approvalId: z.string(),
  grantedBy: z.string(),
  approvers,
  status: z.string(),
  createdAt: time,
  expiresAt: time,
  usesLeft: z.int().nullable(),
  usesTaken: z.int(),
  revokedAt: time.nullable(),
  revokedBy: z.string().nullable(),
  mayRevoke: z.boolean(),
});

export type GrantView = z.infer<typeof grantViewSchema>;

export const auditEntrySchema = z.object({
  position: z.int(),
  tenantId: z.string(),
  approvalId: z.string().nullable(),
  type: z.string(),
  actorId: z.string().nullable(),
  at: time,
  data: z.record(z.string(), z.unknown()),
  prevHash: z.string(),
  hash: z.string(),
});

const head = z.object({ position: z.int(), hash: z.string() });

export const verificationSchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), entries: z.int(), head }),
  z.object({
    ok: z.literal(false),
    position: z.int(),
    problem: z.enum(["changed", "missing", "reordered", "head"]),
    approvalId: z.string().optional(),
    message: z.string(),
  }),
]);

export const evidenceViewSchema = z.object({
  id: z.string(),
  approvalId: z.string().nullable(),
  digest: z.string(),
  decision: z.enum(decisionTypes),
  principalId: z.string(),
  origin: z.string(),
  keyId: z.string(),
  createdAt: time,
  expiresAt: time,
  consumedAt: time.nullable(),
  token: z.string().optional().describe("The signed proof itself, for auditors"),
});

const threadStatus = z.enum(["running", "waiting", "done", "failed"]);

export const threadSummarySchema = z.object({
  id: z.string(),
  status: threadStatus,
  createdAt: time,
  updatedAt: time,
});

export const threadMessageSchema = z.union([
  z.object({ role: z.literal("user"), content: z.string() }),
  z.object({ role: z.literal("assistant"), agentName: z.string(), content: z.string() }),
  z.object({
    role: z.literal("assistant"),
    agentName: z.string(),
    toolCalls: z.array(z.object({ id: z.string(), name: z.string(), input: json })),
  }),
  z.object({ role: z.literal("tool"), toolCallId: z.string(), toolName: z.string(), content: json }),
]);

export const threadViewSchema = threadSummarySchema.extend({ messages: z.array(threadMessageSchema) });

export const principalViewSchema = z.object({
  id: z.string(),
  tenantId: z.string(),
  roles: z.array(z.string()),
  displayName: z.string().optional(),
});

/** Somebody to whom a call can be passed on, as the host knows them. */
export const personSchema = z.object({
  id: z.string().min(1).max(200).describe("A principal's id"),
  displayName: z.string().optional(),
  roles: z.array(z.string()).optional(),
});

export const preferencesSchema = z.strictObject({
  theme: z.enum(["system", "light", "dark"]).default("system"),
  density: z.enum(["comfortable", "compact"]).default("comfortable"),
  notifications: z.boolean().default(false).describe("Desktop notifications of new approvals"),
  denyReasons: z
    .array(z.string().trim().min(1).max(200))
    .max(20)
    .default([])
    .describe("Reasons of one's own"),
});

export const explanationSchema = z.object({
  kind: z.enum(verdictKinds),
  policyVersion: z.string(),
  terms: z.record(z.string(), z.unknown()),
  matched: z.array(
    z.object({
      id: z.string(),
      layer: z.string(),
      verdict: z.enum(verdictKinds),
      because: z.string(),
      reason: z.string().optional(),
    }),
  ),
});

export { time };
