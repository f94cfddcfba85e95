import * as z from "zod";
import { risks, verdictKinds } from "../rules/rule.js";
import { checkedRuleSchema, profileName, ruleSchema } from "../rules/rule-schema.js";
import { termsSchema } from "../rules/terms.js";

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
    .describe(
      "What happens to the call: it runs; it runs and people are notified; it waits; a person does it; it is refused",
    ),
  supervision: anyCase(["automatic", "notify", "confirm", "manual", "deny"])
    .optional()
    .describe("Instead of `verdict`: `automatic` means `allow`, `confirm` means `ask`"),
  risk: anyCase(risks)
    .optional()
    .describe(
      "How much harm the call can do. In the inbox, `high` and `critical` take a second step to approve. Default: `medium`",
    ),
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
  .describe(
    "Verdict for tools that no rule covers, by its name or with other fields of a rule. Default: `deny`",
  );

/** A policy file in Countersign's own format. */
export const policyFileSchema = z
  .strictObject({
    $schema: z.string().optional().describe("Location of this schema, for editors"),
    version: z.literal(1).describe("Version of the format"),
    default: defaultVerdict.optional(),
    defaultProfile: profileName
      .optional()
      .describe("Profile of agents for which the app sets none. Default: none"),
    rules: rules.describe("The rules. If several match a call, the strictest wins, whatever their order"),
    profiles: z
      .record(
        profileName,
        z.strictObject({
          extends: z
            .union([profileName, z.array(profileName)])
            .optional()
            .describe("Profiles whose rules apply, too"),
          rules: rules.optional().describe("Rules that apply only in this profile, beside the others"),
        }),
      )
      .optional()
      .describe("Named sets of additional rules. The app chooses one; the model does not see it"),
    mcp: z
      .strictObject({
        trustedServers: z
          .array(z.string().min(1))
          .optional()
          .describe("Servers whose annotations may also loosen. Default: none"),
      })
      .optional()
      .describe("What holds for tools of MCP servers"),
  })
  .meta({
    title: "Countersign policy",
    description: "Which tool calls run, which need approval, and who decides",
  });

export type PolicyFile = z.infer<typeof policyFileSchema>;
