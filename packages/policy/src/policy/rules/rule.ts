import { z } from "zod";
import { effectsSchema, reversibleSchema } from "../../previews/effect-schema.js";
import { redactPatternNames, redactPatternProblem } from "../../redaction/redact-patterns.js";
import { type SafetyCheck, safetyChecksSchema } from "../../safety-checks/safety-check.js";
import { durationMs, maxTimeoutMs } from "../../shared/duration.js";
import { countedSchema } from "../counted-schema.js";
import { templateProblem } from "../template-problem.js";
import { toolPatternSchema } from "./tool-pattern.js";

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

export const profileName = z
  .string()
  .regex(/^[A-Za-z0-9_]{1,32}$/, "must be 1 to 32 letters, digits or underscores");

const duration = z
  .string()
  .refine((text) => {
    const value = durationMs(text);
    return value !== undefined && value >= 1000 && value <= maxTimeoutMs;
  }, 'must be a duration between one second and 365 days, such as "30m"')
  .describe('A duration, such as "30m" or "2 days"');

/** The longest time for which a rule may let a decision be held. */
const maxHoldMs = 60_000;

const fieldPath = z
  .string()
  .min(1)
  .describe("Path of an argument, such as customer.email; * matches any single key");

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
    roles: z.array(z.string().min(1)).optional().describe("Any principal with one of these roles may decide"),
    ids: z.array(z.string().min(1)).optional().describe("These principals may decide"),
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
    .describe("Reason, shown to people and, if the rule denies, to the model"),
  summary: z
    .string()
    .min(1)
    .optional()
    .describe(
      "One sentence about the call, with {{field}} for arguments: Refund {{amount}} EUR for {{orderId}}",
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
      "One sentence about the result of a call that has run, with {{result.field}} for the result and {{field}} for arguments: Refunded {{result.amount}} EUR for {{orderId}}. Default: none",
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
      "Units of numbers by the path of their argument, shown to people behind the number: amount: EUR. Default: none",
    ),
  risk: z.enum(risks).optional(),
  approvers: approversSchema.optional(),
  quorum: z
    .int()
    .min(1)
    .max(20)
    .optional()
    .describe("Number of different people who must approve; any of them may deny. Default: 1"),
  distinctRoles: z
    .boolean()
    .optional()
    .describe("Each approval of a quorum must come from a different approver role"),
  denials: z
    .int()
    .min(1)
    .max(20)
    .optional()
    .describe("Number of different people who must deny before the call is denied. Default: 1"),
  requesterMayNotApprove: z.boolean().optional().describe("The requester may deny but not approve"),
  decisions: z.array(z.enum(decisionTypes)).min(1).optional(),
  editable: z.array(fieldPath).optional().describe("The fields that an edit may change"),
  timeout: duration.optional(),
  escalation: z
    .array(
      z.strictObject({
        after: duration,
        remind: z.literal(true).optional(),
        escalateTo: z.array(z.string().min(1)).optional(),
      }),
    )
    .optional(),
  extensions: z
    .int()
    .min(0)
    .max(20)
    .optional()
    .describe("Number of times an approver may extend the deadline. Default: 3"),
  delegable: z
    .boolean()
    .optional()
    .describe("Approvers may delegate the decision to someone whom the rule does not name"),
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
      "The longest time for which a decision may be held, so that its person can take it back. Default: 10s; 0 for never",
    ),
  grantable: z
    .array(z.enum(grantScopes))
    .optional()
    .describe("Scopes for which an approver may create a grant. Default: none, every call needs approval"),
  redact: z.array(fieldPath).optional().describe("Fields whose values are hidden from people"),
  redactPatterns: z
    .array(redactPattern)
    .optional()
    .describe(
      `Values to hide anywhere in the arguments: ${redactPatternNames.join(", ")} or an RE2 regular expression`,
    ),
  idempotent: z
    .boolean()
    .optional()
    .describe("The tool may run again, with the approval's id as its idempotency key"),
  notify: z
    .array(notifyEntry)
    .optional()
    .describe("Channels to notify about the call, some with a target: slack:#finance, email. Default: none"),
  decideIn: z
    .array(place)
    .min(1)
    .optional()
    .describe("Where people may decide: inbox, which includes the API, and channels. Default: inbox"),
  codePreview: z
    .strictObject({
      field: fieldPath.describe("Field with the JavaScript code"),
      object: z.string().min(1).describe("The object whose calls to find, such as codemode"),
    })
    .optional(),
  withoutPreview: z
    .enum(["ask", "deny"])
    .optional()
    .describe(
      "The least strict verdict for a call without a preview of its effects. Default: that of the rule",
    ),
  reversible: reversibleSchema.optional(),
});

/** The terms of a rule in code. */
export const codeTermsSchema = termsSchema.extend({ checks: safetyChecksSchema.optional() });

/** What to write for a call that nobody is asked about but that has checks. */
export const allowHasNoChecks = "a call that is allowed has no checks of its rules; write notify({ checks })";

export type Terms = z.infer<typeof termsSchema> & {
  /** Checks of the arguments in code, shown to people and repeated before the call starts. Not possible in files. */
  checks?: readonly SafetyCheck[] | undefined;
};

/** A call that the rule must, or must not, match. Checked when the policy loads. */
const exampleSchema = z.strictObject({
  tool: z.string().min(1),
  input: z.unknown().optional(),
  principal: z.unknown().optional(),
  thread: z.unknown().optional(),
  effects: effectsSchema.optional(),
  reversible: reversibleSchema.optional(),
  counted: countedSchema.optional(),
});

const examples = z.array(
  z.union([
    z
      .string()
      .min(1)
      .transform((tool) => ({ tool })),
    exampleSchema,
  ]),
);

const globs = z.union([toolPatternSchema.transform((glob) => [glob]), z.array(toolPatternSchema).min(1)]);

/** A rule as written in a file. */
export const ruleSchema = z.strictObject({
  ...termsSchema.shape,
  id: z.string().min(1).optional().describe("Name of this rule in explanations"),
  tools: globs.describe("Exact tool names or globs"),
  except: globs.optional().describe("Tools to exclude from the globs"),
  verdict: z.enum(verdictKinds),
  when: z
    .string()
    .min(1)
    .optional()
    .describe(
      "A CEL condition over input, principal, thread, tool, effects and reversible, such as input.amount > 100, and over time: calls(tool, window, per), spent(tool, amount, window, per)",
    ),
  match: examples.optional(),
  notMatch: examples.optional(),
});

/** Rejects combinations of fields that exclude each other. */
export const checkedRuleSchema = ruleSchema.superRefine((rule, context) => {
  const forbidden = rule.verdict === "manual" ? (["approve", "edit"] as const) : [];
  for (const type of forbidden) {
    if (rule.decisions?.includes(type)) {
      context.addIssue({
        code: "custom",
        path: ["decisions"],
        message: `"${type}" is not allowed with verdict manual, whose tool never runs; use "respond" and "deny"`,
      });
    }
  }
  const { distinctRoles, quorum = 1, approvers } = rule;
  if (rule.verdict === "manual" && quorum > 1) {
    context.addIssue({
      code: "custom",
      path: ["quorum"],
      message: "verdict manual is performed by one person; omit quorum",
    });
  }
  const roles = new Set(approvers?.roles).size;
  // Without approvers here, another rule may name them.
  if (distinctRoles && quorum > 1 && approvers && roles < quorum) {
    context.addIssue({
      code: "custom",
      path: ["quorum"],
      message: `${quorum} approvals require as many different roles, but approvers has ${roles}; add roles or lower the quorum`,
    });
  }
});

export type Rule = z.infer<typeof checkedRuleSchema>;
