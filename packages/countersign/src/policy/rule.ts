import { z } from "zod";
import { isRedactPattern, redactPatternNames } from "../approval/redact-patterns.js";
import { durationMs } from "../duration.js";

/** From loosest to strictest; the strictest of all verdicts about a call holds. */
export const verdictKinds = ["allow", "notify", "ask", "manual", "deny"] as const;
export type VerdictKind = (typeof verdictKinds)[number];

/** From least to most. */
export const risks = ["low", "medium", "high", "critical"] as const;
export type Risk = (typeof risks)[number];

/** For what a grant may stand: a conversation, one requester's calls, everybody's in the tenant. */
export const grantScopes = ["thread", "user", "team"] as const;
export type GrantScope = (typeof grantScopes)[number];

/** What a person may do about a call that waits. */
export const decisionTypes = ["approve", "edit", "deny", "respond"] as const;
export type DecisionType = (typeof decisionTypes)[number];

export const profileName = z
  .string()
  .regex(/^[A-Za-z0-9_]{1,32}$/, "must be 1 to 32 letters, digits or underscores");

const duration = z
  .string()
  .refine((text) => {
    const value = durationMs(text);
    return value !== undefined && value >= 1000 && value <= 365 * 86_400_000;
  }, 'must be a duration between one second and 365 days, such as "30m"')
  .describe('A length of time, such as "30m" or "2 days"');

const fieldPath = z
  .string()
  .min(1)
  .describe("A field of the arguments by its path, such as customer.email; * stands for any one key");

const redactPattern = z
  .string()
  .min(1)
  .max(500)
  .refine(isRedactPattern, {
    message: `must be ${redactPatternNames.join(", ")} or a regular expression`,
  });

const approversSchema = z
  .strictObject({
    roles: z.array(z.string().min(1)).optional().describe("Any principal with one of these roles may decide"),
    ids: z.array(z.string().min(1)).optional().describe("These principals may decide"),
  })
  // Somebody whose list of names came out empty does not mean everybody.
  .refine(({ roles = [], ids = [] }) => roles.length + ids.length > 0, {
    error: "names nobody; name roles or ids, or leave approvers out for every signed-in principal",
  })
  .describe("Who may decide; left out, every signed-in principal of the tenant");

/** What a rule says beside its verdict. */
export const termsSchema = z.strictObject({
  reason: z.string().min(1).optional().describe("Why, for people and (where it denies) for the model"),
  summary: z
    .string()
    .min(1)
    .optional()
    .describe(
      "One sentence about the call, with {{field}} for arguments: Refund {{amount}} EUR for {{orderId}}",
    ),
  risk: z.enum(risks).optional(),
  approvers: approversSchema.optional(),
  quorum: z
    .int()
    .min(1)
    .max(20)
    .optional()
    .describe("How many different people must approve; any of them may deny. Left out: one"),
  distinctRoles: z
    .boolean()
    .optional()
    .describe("The approvals of a quorum must come from as many different roles of the approvers"),
  denials: z
    .int()
    .min(1)
    .max(20)
    .optional()
    .describe("How many different people must deny before the call is denied. Left out: one"),
  requesterMayNotApprove: z
    .boolean()
    .optional()
    .describe("Who asked the agent to act may deny but not approve"),
  decisions: z.array(z.enum(decisionTypes)).min(1).optional(),
  editable: z.array(fieldPath).optional().describe("The only fields that an edit may change"),
  timeout: duration.optional(),
  ladder: z
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
    .describe("How often an approver may lengthen the time to decide. Left out: three times"),
  delegable: z
    .boolean()
    .optional()
    .describe("Who may decide may pass that on to somebody whom the rule does not name"),
  grantable: z
    .array(z.enum(grantScopes))
    .optional()
    .describe(
      "For what an approver may allow such calls from now on. Left out: nothing, each call is asked about",
    ),
  redact: z.array(fieldPath).optional().describe("Fields that are hidden where people read"),
  redactPatterns: z
    .array(redactPattern)
    .optional()
    .describe(
      `What is hidden wherever it stands in the arguments: ${redactPatternNames.join(", ")} or a regular expression`,
    ),
  idempotent: z.boolean().optional().describe("The tool may run again with the approval's id as its key"),
  codePreview: z
    .strictObject({
      field: fieldPath.describe("Where the JavaScript is"),
      object: z.string().min(1).describe("The object whose calls are looked for, such as codemode"),
    })
    .optional(),
});

export type Terms = z.infer<typeof termsSchema>;

/** A call that must, or must not, be met by a rule; checked when the policy loads. */
const exampleSchema = z.strictObject({
  tool: z.string().min(1),
  input: z.unknown().optional(),
  principal: z.unknown().optional(),
  thread: z.unknown().optional(),
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

const globs = z.union([
  z
    .string()
    .min(1)
    .transform((glob) => [glob]),
  z.array(z.string().min(1)).min(1),
]);

/** One rule as it is written in a file. */
export const ruleSchema = z.strictObject({
  ...termsSchema.shape,
  id: z.string().min(1).optional().describe("How explanations call this rule"),
  tools: globs.describe("Exact tool names or globs"),
  except: globs.optional().describe("Tools that the globs match and the rule does not mean"),
  verdict: z.enum(verdictKinds),
  when: z
    .string()
    .min(1)
    .optional()
    .describe("A CEL condition over input, principal, thread and tool, such as input.amount > 100"),
  match: examples.optional(),
  notMatch: examples.optional(),
});

/** Mutually exclusive things a rule may say, found after its fields are right. */
export const checkedRuleSchema = ruleSchema.superRefine((rule, context) => {
  const forbidden = rule.verdict === "manual" ? (["approve", "edit"] as const) : [];
  for (const type of forbidden) {
    if (rule.decisions?.includes(type)) {
      context.addIssue({
        code: "custom",
        path: ["decisions"],
        message: `"${type}" is not possible with the verdict manual, whose tool never runs; use "respond" and "deny"`,
      });
    }
  }
  const { distinctRoles, quorum = 1, approvers } = rule;
  if (rule.verdict === "manual" && quorum > 1) {
    context.addIssue({
      code: "custom",
      path: ["quorum"],
      message: "one person does the call by hand and answers for it; leave quorum out",
    });
  }
  const roles = new Set(approvers?.roles).size;
  // Approvers that the rule leaves out may be named by another.
  if (distinctRoles && quorum > 1 && approvers && roles < quorum) {
    context.addIssue({
      code: "custom",
      path: ["quorum"],
      message: `${quorum} approvals cannot come from as many different roles, for approvers names ${roles}; name more roles, or lower the quorum`,
    });
  }
});

export type Rule = z.infer<typeof checkedRuleSchema>;
