import { previewFailures } from "@countersign/policy/internal/display/preview-failures";
import { markKinds } from "@countersign/policy/internal/display/text-mark";
import { withdrawalCauses } from "@countersign/policy/internal/display/withdrawal-text";
import {
  decisionTypes,
  grantScopes,
  risks,
  verdictKinds,
} from "@countersign/policy/internal/policy/rules/rule";
import { approvalStatuses } from "@countersign/policy/internal/shared/approval-status";
import { storableTextSchema as text } from "@countersign/policy/internal/shared/storable-text";
import * as z from "zod";
import type { ApprovalTerms } from "../../approval/approval.js";
import { handlerKinds } from "../../approval/handler-kind.js";
import { listNames } from "../../approval/list-names.js";
import { coveringStopSchema } from "./stop-schemas.js";

const time = z.iso.datetime().describe("ISO 8601, UTC");
/** Any JSON value. */
const json = z.unknown();

const approvers = z.object({
  roles: z.array(z.string()),
  ids: z.array(z.string()),
});

const flag = z.object({
  path: z
    .string()
    .describe("Path of the value, such as input.note, editedInput.lines.0, effects.0.after or toolName"),
  kind: z
    .enum([...markKinds, "decimals", "large_number", "cut_short"])
    .describe("cut_short: the summary shows only the first line of this value"),
  start: z.int().optional().describe("Start offset in the text, in UTF-16 code units; absent for numbers"),
  end: z.int().optional().describe("End offset in the text"),
  inName: z.literal(true).optional().describe("The flag is about the field's name"),
  characters: z.array(z.string()).describe("The distinct characters, such as U+202E"),
  count: z.int().optional().describe("Number of blanks, line breaks, accents or invisible characters"),
  text: z.string().optional().describe("The word, address or number in question"),
  looksLike: z.string().optional().describe("What it could be mistaken for, in ASCII"),
});

const summaryPart = z.union([
  z.object({ text: z.string().describe("Text from the rule") }),
  z.object({
    value: z.string().describe("The argument's value as shown"),
    path: z.string().describe("Path of the argument"),
    cut: z.literal(true).optional().describe("The value is truncated"),
    number: z.number().optional().describe("The number that value shows; absent for other values"),
  }),
]);

const ruleReason = z.object({
  rule: z.string().describe("The rule's id"),
  reason: z.string().nullable(),
  adds: z
    .object({
      risk: z.enum(risks),
      quorum: z.int(),
      distinctRoles: z.literal(true),
      approvers,
      requesterMayNotApprove: z.literal(true),
      timeoutMs: z.int(),
    })
    .partial()
    .describe("The requirements in force that come from this rule"),
});

const each = z.number().nullable().describe("Maximum of one call; null if only the total limits it");
const unit = z.string().nullable().describe("For display, such as EUR");

const grantAsked = z.object({
  scope: z.enum(grantScopes),
  arguments: z.union([z.literal("exact"), z.literal("any"), z.object({ when: z.string() })]),
  expiresIn: z.string().optional(),
  uses: z.int().optional(),
  budget: z
    .object({
      amount: z.string(),
      total: z.number(),
      each: z.number().optional(),
      unit: z.string().optional(),
    })
    .optional(),
});

/** The terms that readers see as they are stored. */
export const shownTerms = {
  label: z.string().nullable().describe("What the rules call such a call, such as Refund; null without one"),
  names: z
    .record(z.string(), z.string())
    .describe("What the rules call the arguments, by their dotted path: Order for orderId"),
  units: z
    .record(z.string(), z.string())
    .describe("Units of numbers by the dotted path of their argument, as the rules name them: EUR, kg"),
  reasons: z
    .array(ruleReason)
    .describe("The rules that require approval, each with its reason and requirements"),
  decisions: z.array(z.enum(decisionTypes)).describe("Allowed decision types"),
  decideIn: z
    .array(z.string())
    .describe('Where people may decide: "inbox", which includes this API, and names of channels'),
  quorum: z.int(),
  distinctRoles: z.boolean(),
  denials: z.int(),
  delegable: z.boolean(),
  editable: z.array(z.string()).describe("Paths that an edit may change"),
  grantable: z
    .array(z.enum(grantScopes))
    .describe("Scopes for which the rule allows approvers to create a grant"),
} satisfies { [Name in keyof ApprovalTerms]?: z.ZodType };

/** An approval as the API returns it. Values that the rules redact are hidden; the digest still covers them. */
export const approvalViewSchema = z
  .object({
    id: z.string(),
    requestId: z.string(),
    threadId: z.string().nullable(),
    runId: z.string().nullable(),
    agentName: z.string().nullable(),
    mcpServer: z
      .string()
      .nullable()
      .describe("The host's name of the MCP server whose tool is called, or that asks the question"),
    requesterId: z.string().nullable().describe("The person on whose behalf the agent acts"),
    toolCallId: z.string(),
    toolName: z.string(),
    input: json.describe("The arguments that will run, with values hidden from the reader replaced"),
    valuesOmitted: z
      .boolean()
      .describe(
        "true if a list left out the arguments, the result and the flags, because the list would be too long. It then offers no approval; read the approval itself before you decide",
      ),
    inputSchema: json.describe("The tool's input schema (JSON Schema), or null"),
    redacted: z.array(z.string()).describe("Paths whose values are hidden from the reader"),
    redactedPatterns: z.array(z.string()).describe("Patterns whose matches are hidden from the reader"),
    flags: z.array(flag).describe("Characters and numbers that people cannot see or could misread"),
    flagsTruncated: z.boolean(),
    flagCount: z.int().describe("Number of flags, also in rows whose values are omitted. At most 100"),
    digest: z.string().describe("Send it with the decision to identify the arguments you saw"),
    nonce: z
      .string()
      .nullable()
      .describe("Random part of the digest. null unless the reader may see everything"),
    status: z.enum(approvalStatuses),
    lists: z.array(z.enum(listNames)).describe("Which of your lists it is in"),
    verdict: z.enum(verdictKinds),
    summary: z
      .string()
      .describe("One sentence generated from the actual arguments: after an edit, from the edited ones"),
    summaryParts: z
      .array(summaryPart)
      .describe("The summary in parts that separate the rule's text from argument values"),
    proposedSummaryParts: z
      .array(summaryPart)
      .nullable()
      .describe("The summary of the arguments in `input`, if an edit has changed it; null otherwise"),
    resultSummary: z
      .string()
      .nullable()
      .describe(
        "One sentence about the result of a call that has run, if a rule has a template for it; null otherwise, and in rows whose values are omitted",
      ),
    resultSummaryParts: z
      .array(summaryPart)
      .describe(
        "That sentence in parts. Paths that begin with `result.` are of the result, the others of the arguments that ran",
      ),
    ...shownTerms,
    risk: z.enum(risks),
    reason: z
      .string()
      .nullable()
      .describe("Why the policy requires approval: the reasons of all matching rules in one text"),
    yourDecisions: z.array(z.enum(decisionTypes)).describe("Decision types that the reader may use now"),
    mayDecide: z.boolean().describe("Whether the reader may decide this approval now"),
    stop: coveringStopSchema,
    votes: z.array(
      z.object({
        principalId: z.string(),
        type: z.enum(["approve", "deny"]),
        onBehalfOf: z.string().nullable().describe("Who delegated the approval to this person"),
        roles: z.array(z.string()),
        reason: z.string().nullable(),
        votedAt: time,
      }),
    ),
    stillNeeded: z.object({ approvals: z.int(), roles: z.array(z.string()) }),
    assigneeId: z.string().nullable(),
    viewers: z.array(z.object({ principalId: z.string(), displayName: z.string().nullable(), until: time })),
    snoozedUntil: time
      .nullable()
      .describe("Until when you have put it aside. null for others, and once you can no longer decide it"),
    extensionsUsed: z.int(),
    extensionsLeft: z.int(),
    editedInput: json,
    codePreview: z
      .array(z.object({ toolName: z.string(), line: z.int(), column: z.int() }))
      .nullable()
      .describe("Tool calls found in code arguments. For information only; not enforced"),
    checks: z
      .array(
        z.object({
          name: z.string(),
          ok: z.boolean(),
          message: z.string().nullable().describe("The check's own words, or that it could not be run"),
        }),
      )
      .describe(
        "Results of the safety checks when the call was proposed, for the arguments in `input`. They run again before the call starts",
      ),
    preview: z
      .object({
        failed: z.enum(previewFailures).nullable().describe("Why there are no effects; null if there are"),
        effects: z.array(
          z.object({
            target: z.string().describe("What changes"),
            before: json.optional().describe("What it is now; absent or null: it does not exist yet"),
            after: json.optional().describe("What it would be; absent or null: it would be gone"),
            count: z.int().optional().describe("How many such things would change"),
          }),
        ),
        reversible: z
          .union([z.boolean(), z.string()])
          .nullable()
          .describe('Whether the call can be taken back, or within which time ("30m"); null if unknown'),
      })
      .nullable()
      .describe(
        "What the call would change, found out when it was proposed, for the arguments in `input`; null if its tool has no preview, after an edit, and in rows whose values are omitted. If the state on which it depends has changed at its start, the call does not run",
      ),
    counts: z
      .array(
        z.object({
          text: z.string().describe("The count as a line of text"),
          condition: z
            .string()
            .describe('The condition that reads the count, such as calls("issue_refund", "1h")'),
          tool: z.string().describe("The calls that are counted: a tool's name or glob"),
          amount: z.string().nullable().describe("Path of the argument that is added up; null counts calls"),
          per: z
            .string()
            .describe(
              "Whose calls are counted: requester, thread, tenant, or input. and the path of an argument that is equal",
            ),
          window: z.string().describe('The time up to the call, such as "24h"'),
          limit: z
            .number()
            .nullable()
            .describe("The number with which the rule compares it; null if it does something else"),
          total: z
            .number()
            .nullable()
            .describe("What it came to, with the call itself; null if it is hidden or not known"),
          unit: unit.describe("The unit that the call's rule gives what is added up, such as EUR"),
          hidden: z.boolean().describe("Whether the total is hidden, because it could tell a hidden amount"),
          exceeds: z.boolean().describe("Whether the total is visible and above the limit"),
        }),
      )
      .describe(
        "What limits over time counted when the call was proposed, for the arguments in `input`; empty in rows whose values are omitted",
      ),
    grantSuggestions: z
      .array(
        z.object({
          words: z.string(),
          upTo: z
            .string()
            .nullable()
            .describe("The argument that may be lower in later calls; null if all must be as they are"),
          grant: grantAsked,
        }),
      )
      .describe("Grants that the reader may create together with an approval"),
    grantId: z.string().nullable(),
    overBudget: z
      .object({
        grantId: z.string(),
        total: z.number(),
        used: z.number().describe("What the grant's calls had spent or were about to spend at the proposal"),
        each,
        unit,
        amount: z.number().describe("The amount of this call"),
      })
      .nullable()
      .describe(
        "Why people are asked although a grant covers the call: it does not fit into the grant's budget. null in rows whose values are omitted",
      ),
    duplicateOf: z.string().nullable(),
    approvers,
    policyVersion: z.string(),
    createdAt: time,
    announcedAt: time.nullable(),
    expiresAt: time.nullable(),
    decision: z
      .object({
        type: z.enum(decisionTypes),
        decidedBy: z.string().nullable().describe("null if the policy denied the call"),
        reason: z.string().nullable(),
        decidedAt: time,
      })
      .nullable(),
    held: z
      .object({
        type: z.enum(decisionTypes),
        decidedBy: z.string(),
        reason: z.string().nullable(),
        editedInput: json.describe("The arguments that will run; null without an edit"),
        decidedAt: time,
        until: time,
      })
      .nullable()
      .describe(
        "Of a pending call: a decision that takes effect at `until`, unless its person takes it back",
      ),
    maxHoldMs: z.int().describe("The longest time for which a decision about it may be held; 0 for none"),
    response: json.describe("The result supplied by a person"),
    outcome: json.describe("The tool's result: {status, data} or {status, error}"),
    handlerKind: z.enum(handlerKinds).nullable(),
    resolution: z
      .object({
        outcome: z.enum(["done", "failed", "rerun"]),
        resolvedBy: z.string(),
        note: z.string().nullable(),
        resolvedAt: time,
      })
      .nullable(),
    withdrawalCause: z.enum(withdrawalCauses).nullable(),
    undo: z
      .object({
        within: z
          .string()
          .nullable()
          .describe('How long after it ran people may undo the call, such as "10m"; null for at any time'),
        until: time.nullable().describe("The end of this time; null before it has run, or for at any time"),
        mayUndo: z.boolean().describe("You may undo it, unless its time is over or an undo is under way"),
        undoId: z.string().nullable().describe("The latest call that undoes it, whatever became of that"),
        undoneAt: time.nullable().describe("When it was undone"),
      })
      .nullable()
      .describe("null if the call cannot be undone"),
    undoes: z.string().nullable().describe("The call that this one undoes"),
    undoRequest: z
      .object({ askedBy: z.string(), reason: z.string().nullable() })
      .nullable()
      .describe("Of a call that undoes another: who asked for it, and why"),
    startedAt: time.nullable(),
    finishedAt: time.nullable(),
  })
  .describe("One gated tool call that waits for a decision or has been decided");

export type ApprovalView = z.infer<typeof approvalViewSchema>;

/** One page of items, with the server time that clients use for countdowns. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().describe("Cursor of the next page; null on the last page"),
    serverTime: time,
  });
}

export const grantViewSchema = z.object({
  id: z.string(),
  scope: z.enum(grantScopes),
  scopeId: z.string().nullable(),
  label: z
    .string()
    .nullable()
    .describe("What the rules called the call whose approval created the grant; null without one"),
  toolName: z.string(),
  arguments: z.union([z.literal("exact"), z.literal("any"), z.object({ when: z.string() })]),
  rerun: z.boolean().describe("Created to re-run one interrupted call"),
  summary: z.string().describe("Summary of the call whose approval created the grant"),
  approvalId: z.string(),
  grantedBy: z.string(),
  approvers,
  status: z.enum(["live", "expired", "used_up", "revoked"]),
  createdAt: time,
  expiresAt: time,
  usesLeft: z.int().nullable(),
  usesTaken: z.int(),
  budget: z
    .object({
      amount: z.string().describe("Path of the argument with a call's amount"),
      total: z.number().describe("Maximum of all calls together"),
      each,
      unit,
      used: z
        .number()
        .describe("What its calls have spent, and what approved calls that have not started will spend"),
    })
    .nullable()
    .describe("How much its calls may spend together; null for any amount"),
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
  z.object({
    ok: z.literal(true),
    entries: z.int().describe("Entries present in the log, without those of sealed segments"),
    head,
    sealed: z
      .array(
        z.object({
          firstPosition: z.int(),
          lastPosition: z.int(),
          headHash: z.string(),
          hash: z.string(),
          sealedAt: time,
          signed: z.boolean(),
        }),
      )
      .describe("Sealed segments: parts of the log removed by retention, oldest first"),
    deleted: z.int().describe("Calls in the log whose rows have been deleted since"),
  }),
  z.object({
    ok: z.literal(false),
    position: z.int(),
    problem: z.enum(["changed", "missing", "reordered", "head", "row", "segment", "unknown_key"]),
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
  via: z.string().nullable().describe("How the person was authenticated, such as the name of a channel"),
  keyId: z.string(),
  createdAt: time,
  expiresAt: time,
  consumedAt: time.nullable(),
  token: z.string().optional().describe("The signed evidence token. Auditors only"),
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

export const threadViewSchema = threadSummarySchema.extend({
  messages: z.array(threadMessageSchema).describe("Oldest first"),
  nextCursor: z
    .string()
    .nullable()
    .describe("Cursor of the page with older messages; null at the start of the conversation"),
});

export const earlierCallSchema = z.object({
  approvalId: z.string(),
  status: z
    .enum(["responded", "executing", "executed", "failed", "interrupted"])
    .describe("interrupted: it may or may not have run"),
  finishedAt: time.nullable().describe("null while it is executing"),
  decidedBy: z.string().nullable().describe("null if the policy or a grant allowed it"),
});

export const principalViewSchema = z.object({
  id: z.string(),
  tenantId: z.string(),
  roles: z.array(z.string()),
  displayName: z.string().optional(),
});

/** A person to whom an approval can be assigned, from the host's directory. */
export const personSchema = z.object({
  id: z.string().min(1).max(200).describe("A principal's id"),
  displayName: z.string().optional(),
  roles: z.array(z.string()).optional(),
});

export const preferencesSchema = z.strictObject({
  theme: z.enum(["system", "light", "dark"]).default("system"),
  language: z
    .enum(["en", "de"])
    .optional()
    .describe("The language of the inbox; without one, the host's or the browser's"),
  notifications: z.boolean().default(false).describe("Show desktop notifications for new approvals"),
  denyReasons: z
    .array(text.trim().min(1).max(200))
    .max(20)
    .default([])
    .describe("The user's own deny reasons"),
});

export const explanationSchema = z.object({
  kind: z.enum(verdictKinds),
  policyVersion: z.string(),
  terms: z.record(z.string(), z.unknown()),
  counted: z
    .record(z.string(), z.number())
    .describe("What the rules counted over time, with this call, by their conditions"),
  matched: z.array(
    z.object({
      id: z.string(),
      layer: z.string(),
      verdict: z.enum(verdictKinds),
      because: z.string(),
      reason: z.string().optional(),
    }),
  ),
  skipped: z
    .array(z.object({ id: z.string(), layer: z.string(), because: z.string() }))
    .optional()
    .describe(
      "Rules that cover the tool, but whose condition was false or could not be evaluated. Absent: the policy does not say",
    ),
});

export { time };
