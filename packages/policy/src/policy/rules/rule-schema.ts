import * as z from "zod";
import { effectsSchema, reversibleSchema } from "../../previews/effect-schema.js";
import { countedSchema } from "../counted-schema.js";
import { verdictKinds } from "./rule.js";
import { termsSchema } from "./terms.js";
import { toolPatternSchema } from "./tool-pattern.js";

export const profileName = z
  .string()
  .regex(/^[A-Za-z0-9_]{1,32}$/, "must be 1 to 32 letters, digits or underscores");

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
  id: z
    .string()
    .min(1)
    .optional()
    .describe("Name of the rule in explanations. Default: its place, such as `rules.3`"),
  tools: globs.describe(
    "Exact names or globs: `*` (anything), `?`, `[abc]`, `{a,b}`, `!(…)` (any other name). A leading `!` is refused",
  ),
  except: globs.optional().describe("Names and globs of tools that the rule does not cover. Default: none"),
  verdict: z.enum(verdictKinds),
  when: z
    .string()
    .min(1)
    .optional()
    .describe(
      "A CEL condition over `input`, `principal`, `thread`, `tool`, `effects`, `reversible`, `calls(…)` and `spent(…)`. Default: every call",
    ),
  match: examples
    .optional()
    .describe(
      "Calls that the rule must match, checked when the file is read: `{ tool, input, principal, … }`",
    ),
  notMatch: examples.optional().describe("Calls that the rule must not match, checked in the same way"),
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
