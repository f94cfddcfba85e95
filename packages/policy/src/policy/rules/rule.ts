import { z } from "zod";
import { reversibleSchema } from "../../previews/effect-schema.js";
import { redactPatternNames, redactPatternProblem } from "../../redaction/redact-patterns.js";
import { type SafetyCheck, safetyChecksSchema } from "../../safety-checks/safety-check.js";
import { durationMs, maxTimeoutMs } from "../../shared/duration.js";
import { templateProblem } from "../template-problem.js";

/** Verdicts from loosest to strictest. The strictest verdict for a call wins. */
export const verdictKinds = ["allow", "notify", "ask", "manual", "deny"] as const;
export type VerdictKind = (typeof verdictKinds)[number];

/** Risks from lowest to highest. */
export const risks = ["low", "medium", "high", "critical"] as const;
export type Risk = (typeof risks)[number];

/** Scopes of a grant: one conversation, one requester, or the whole tenant. */
export const grantScopes = ["thread", "user", "team"] as const;
export type GrantScope = (typeof grantScopes)[number];

/** Decisions that a person can make about a pending call. */
export const decisionTypes = ["approve", "edit", "deny", "respond"] as const;
export type DecisionType = (typeof decisionTypes)[number];

const duration = z.string().refine((text) => {
  const value = durationMs(text);
  return value !== undefined && value >= 1000 && value <= maxTimeoutMs;
}, 'must be a duration between one second and 365 days, such as "30m"');

/** The longest time for which a rule may let a decision be held. */
const maxHoldMs = 60_000;

const fieldPath = z
  .string()
  .min(1)
  .describe("Path of an argument, such as `customer.email`; `*` matches any single key");

/** It stands behind numbers, so it begins with no digit and is too short to say anything else. */
const unit = z
  .string()
  .regex(
    /^[\p{L}\p{Sc}%°][\p{L}\p{Sc}\p{N}%°/·²³]{0,11}$/u,
    'must be a unit of at most 12 characters without blanks, such as "EUR", "kg" or "%"',
  );

const redactPattern = z
  .string()
  .min(1)
  .max(500)
  .superRefine((pattern, context) => {
    const problem = redactPatternProblem(pattern);
    if (problem === undefined) return;
    context.addIssue({
      code: "custom",
      message: `must be ${redactPatternNames.join(", ")} or an RE2 regular expression: ${problem}`,
    });
  });

const approversSchema = z
  .strictObject({
    roles: z.array(z.string().min(1)).optional().describe("Everyone with one of these roles may decide"),
    ids: z.array(z.string().min(1)).optional().describe("These principals may decide, too"),
  })
  // An empty list is probably a mistake and must not mean everyone.
  .refine(({ roles = [], ids = [] }) => roles.length + ids.length > 0, {
    error: "is empty; add roles or ids, or omit approvers to allow every signed-in principal",
  })
  .describe("People who may decide. Default: every signed-in principal of the tenant");

/** The channel in an entry of `notify`: `slack` in `slack:#finance`. */
export function channelOf(entry: string): string {
  return entry.split(":", 1)[0] ?? entry;
}

/** The place where people decide without a channel. It includes the API, which cannot tell pages from programs. */
export const inboxPlace = "inbox";

const notifyEntry = z
  .string()
  .max(200)
  .regex(
    /^[a-z][a-z0-9-]{0,31}(:[^\s:].*)?$/,
    'must be the name of a channel, or its name and a target, such as "slack:#finance"',
  );

const place = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be "inbox" or the name of a channel')
  .refine((name) => name !== "api", 'must be "inbox", which includes the API, or the name of a channel');

/** The terms of a rule, besides its verdict. */
export const termsSchema = z.strictObject({
  reason: z
    .string()
    .min(1)
    .optional()
    .describe("Why the rule exists. People read it; if the rule denies, the model does"),
  summary: z
    .string()
    .min(1)
    .optional()
    .describe(
      "One sentence about the call, with `{{field}}` for arguments. Default: the tool and up to three arguments",
    ),
  resultSummary: z
    .string()
    .min(1)
    .superRefine((template, context) => {
      const problem = templateProblem(template);
      if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
    })
    .optional()
    .describe(
      "One sentence about the result, with `{{result.field}}` for the result and `{{field}}` for arguments. Default: none",
    ),
  units: z
    .record(z.string().regex(/^[^.*]+(\.[^.*]+)*$/), unit, {
      error: ({ code }) =>
        code === "invalid_key"
          ? 'is not the path of an argument, such as "amount" or "parcel.weight"'
          : undefined,
    })
    .optional()
    .describe(
      "Units by the path of a number, shown behind it: `{ amount: EUR, parcel.weight: kg }`. Default: none",
    ),
  risk: z.enum(risks).optional(),
  approvers: approversSchema.optional(),
  quorum: z.int().min(1).max(20).optional().describe("How many different people must approve. Default: 1"),
  distinctRoles: z
    .boolean()
    .optional()
    .describe("Each approval of the quorum must come from a different approver role"),
  denials: z.int().min(1).max(20).optional().describe("How many different people must deny. Default: 1"),
  requesterMayNotApprove: z
    .boolean()
    .optional()
    .describe("The requester may deny but not approve. Calls without a requester are refused"),
  decisions: z
    .array(z.enum(decisionTypes))
    .min(1)
    .optional()
    .describe(
      "Possible decisions. Default: `approve`, `deny` and, with `editable`, `edit`; for `manual`, `respond` and `deny`",
    ),
  editable: z
    .array(fieldPath)
    .optional()
    .describe("Paths of the arguments that an edit may change. Default: none, so nobody can edit"),
  timeout: duration
    .optional()
    .describe(
      "Time to decide, such as `2 hours`: 1 second to 365 days. Default: the app's `timeout`, or `30m`",
    ),
  escalation: z
    .array(
      z.strictObject({
        after: duration.describe("Time after which the step happens"),
        remind: z.literal(true).optional().describe("The step is a reminder"),
        escalateTo: z
          .array(z.string().min(1))
          .optional()
          .describe("Roles that may decide, too, from then on"),
      }),
    )
    .optional()
    .describe("Reminders and escalations while nobody has decided. Default: none"),
  extensions: z
    .int()
    .min(0)
    .max(20)
    .optional()
    .describe("How often approvers may extend the deadline. Default: 3"),
  delegable: z
    .boolean()
    .optional()
    .describe("Approvers may delegate the decision to somebody whom the rule does not name"),
  holdFor: z
    .union([
      z.literal(0),
      z.string().refine((text) => {
        const value = durationMs(text);
        return value !== undefined && value >= 1000 && value <= maxHoldMs;
      }, 'must be 0 or a duration between one second and one minute, such as "10s"'),
    ])
    .optional()
    .describe(
      "Longest time, up to `1m`, for which a decision is held so that its person can take it back. Default: `10s`",
    ),
  grantable: z
    .array(z.enum(grantScopes))
    .optional()
    .describe("Scopes of the grants that an approver may give with an approval. Default: none"),
  redact: z
    .array(fieldPath)
    .optional()
    .describe("Paths of the arguments that only people with a role in `fullViewRoles` see. Default: none"),
  redactPatterns: z
    .array(redactPattern)
    .optional()
    .describe(
      `Texts to hide in any argument: ${redactPatternNames.map((name) => `\`${name}\``).join(", ")} or an RE2 regular expression`,
    ),
  idempotent: z
    .boolean()
    .optional()
    .describe("The tool may run again after a crash, with the approval's id as its idempotency key"),
  notify: z
    .array(notifyEntry)
    .optional()
    .describe("Channels that report the call, some with a target: `slack:#finance`, `email`. Default: none"),
  decideIn: z
    .array(place)
    .min(1)
    .optional()
    .describe("Where people may decide: `inbox`, which includes the API, and channels. Default: `inbox`"),
  codePreview: z
    .strictObject({
      field: fieldPath.describe("Path of the argument with the JavaScript code"),
      object: z.string().min(1).describe("The object whose calls to find, such as `codemode`"),
    })
    .optional()
    .describe("Shows people which tools a script appears to call. Default: none"),
  withoutPreview: z
    .enum(["ask", "deny"])
    .optional()
    .describe(
      "The least strict verdict for a call without a preview of its effects. Default: the rule's verdict",
    ),
  reversible: reversibleSchema
    .optional()
    .describe(
      "How long people can undo the call after it ran: `true`, a time such as `30m`, or `false`. Default: what its preview says",
    ),
});

/** The terms of a rule in code. */
export const codeTermsSchema = termsSchema.extend({ checks: safetyChecksSchema.optional() });

/** What to write for a call that nobody is asked about but that has checks. */
export const allowHasNoChecks = "a call that is allowed has no checks of its rules; write notify({ checks })";

export type Terms = z.infer<typeof termsSchema> & {
  /** Checks of the arguments in code, shown to people and repeated before the call starts. Not possible in files. */
  checks?: readonly SafetyCheck[] | undefined;
};
