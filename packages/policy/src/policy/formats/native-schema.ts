import { z } from "zod";
import {
  checkedRuleSchema,
  profileName,
  risks,
  ruleSchema,
  termsSchema,
  verdictKinds,
} from "../rules/rule.js";

/** Supervision levels, the name of verdicts in some other systems. */
const supervisionLevels = {
  automatic: "allow",
  notify: "notify",
  confirm: "ask",
  manual: "manual",
  deny: "deny",
} as const;

/** A case-insensitive enum. */
function anyCase<const Words extends readonly [string, ...string[]]>(words: Words) {
  const patterns = words.map((word) =>
    word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`),
  );
  return z.preprocess(
    (value) => (typeof value === "string" ? value.toLowerCase() : value),
    z
      .enum(words)
      .meta({ enum: undefined, anyOf: [{ enum: words }, { pattern: `^(${patterns.join("|")})$` }] }),
  );
}

const verdictFields = {
  verdict: ruleSchema.shape.verdict
    .optional()
    .describe("allow, notify (runs, and people are notified), ask, manual (a person does it) or deny"),
  supervision: anyCase(["automatic", "notify", "confirm", "manual", "deny"])
    .optional()
    .describe("Alternative to verdict: automatic means allow, confirm means ask"),
  risk: anyCase(risks).optional().describe("How much harm the call can do; shown to approvers"),
};

type VerdictFields = {
  verdict?: (typeof verdictKinds)[number] | undefined;
  supervision?: keyof typeof supervisionLevels | undefined;
};

function oneVerdict(given: VerdictFields, context: z.core.$RefinementCtx): void {
  if ((given.verdict === undefined) === (given.supervision === undefined)) {
    const message =
      given.verdict === undefined
        ? "requires a verdict: allow, notify, ask, manual or deny"
        : "has both verdict and supervision, which mean the same; keep one";
    context.issues.push({ code: "custom", message, input: given, path: [] });
  }
}

function withVerdict<Given extends VerdictFields>({ supervision, verdict, ...rest }: Given) {
  return { ...rest, verdict: verdict ?? supervisionLevels[supervision ?? "deny"] };
}

const eitherOne = { oneOf: [{ required: ["verdict"] }, { required: ["supervision"] }] };

const rules = z.array(
  z
    .strictObject({ ...ruleSchema.shape, ...verdictFields })
    .superRefine(oneVerdict)
    .meta(eitherOne)
    .transform((given): z.input<typeof checkedRuleSchema> => withVerdict(given))
    .pipe(checkedRuleSchema),
);

const defaultVerdict = z
  .union([
    z.enum(verdictKinds),
    z
      .strictObject({ ...termsSchema.shape, ...verdictFields })
      .superRefine(oneVerdict)
      .meta(eitherOne)
      .transform(withVerdict),
  ])
  .describe("Verdict for tools that no rule covers. Without any default, they are denied");

/** A policy file in Countersign's own format. */
export const policyFileSchema = z
  .strictObject({
    $schema: z.string().optional().describe("Location of this schema, for editors"),
    version: z.literal(1).describe("Version of the format"),
    default: defaultVerdict.optional(),
    defaultProfile: profileName.optional().describe("The profile of agents for which the host sets none"),
    rules: rules.describe("If several rules match, the strictest wins, regardless of their order"),
    profiles: z
      .record(
        profileName,
        z.strictObject({
          extends: z
            .union([profileName, z.array(profileName)])
            .optional()
            .describe("Profiles whose rules apply as well"),
          rules: rules.optional().describe("Additional rules that apply only in this profile"),
        }),
      )
      .optional()
      .describe("Named sets of additional rules, selected by the host and invisible to the model"),
    mcp: z
      .strictObject({
        trustedServers: z
          .array(z.string().min(1))
          .optional()
          .describe("MCP servers whose annotations may also loosen"),
      })
      .optional(),
  })
  .meta({
    title: "Countersign policy",
    description: "Which tool calls run, which need approval, and who decides",
  });

export type PolicyFile = z.infer<typeof policyFileSchema>;
