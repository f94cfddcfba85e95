import { z } from "zod";
import { checkedRuleSchema, profileName, risks, ruleSchema, termsSchema, verdictKinds } from "../rule.js";

/** Levels of supervision, as some systems call what is a verdict here. */
const supervisionLevels = {
  automatic: "allow",
  notify: "notify",
  confirm: "ask",
  manual: "manual",
  deny: "deny",
} as const;

/** One of some words, in small or capital letters. */
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

const spoken = {
  verdict: ruleSchema.shape.verdict
    .optional()
    .describe("allow, notify (runs, and people are told), ask, manual (a person does it) or deny"),
  supervision: anyCase(["automatic", "notify", "confirm", "manual", "deny"])
    .optional()
    .describe("Another way to write the verdict: automatic is allow, confirm is ask"),
  risk: anyCase(risks).optional().describe("How much harm the call can do; shown to whoever decides"),
};

type Spoken = {
  verdict?: (typeof verdictKinds)[number] | undefined;
  supervision?: keyof typeof supervisionLevels | undefined;
};

function oneVerdict(said: Spoken, context: z.core.$RefinementCtx): void {
  if ((said.verdict === undefined) === (said.supervision === undefined)) {
    const message =
      said.verdict === undefined
        ? "needs a verdict: allow, notify, ask, manual or deny"
        : "says both verdict and supervision, which mean the same; keep one";
    context.issues.push({ code: "custom", message, input: said, path: [] });
  }
}

function withVerdict<Said extends Spoken>({ supervision, verdict, ...rest }: Said) {
  return { ...rest, verdict: verdict ?? supervisionLevels[supervision ?? "deny"] };
}

const eitherOne = { oneOf: [{ required: ["verdict"] }, { required: ["supervision"] }] };

const rules = z.array(
  z
    .strictObject({ ...ruleSchema.shape, ...spoken })
    .superRefine(oneVerdict)
    .meta(eitherOne)
    .transform((said): z.input<typeof checkedRuleSchema> => withVerdict(said))
    .pipe(checkedRuleSchema),
);

const defaultVerdict = z
  .union([
    z.enum(verdictKinds),
    z
      .strictObject({ ...termsSchema.shape, ...spoken })
      .superRefine(oneVerdict)
      .meta(eitherOne)
      .transform(withVerdict),
  ])
  .describe("For tools that no rule covers; left out everywhere, they are denied");

/** A policy file in Countersign's own format. */
export const policyFileSchema = z
  .strictObject({
    $schema: z.string().optional().describe("Where editors find this schema"),
    version: z.literal(1).describe("Version of the format"),
    default: defaultVerdict.optional(),
    defaultProfile: profileName.optional().describe("The profile of agents for which the host names none"),
    rules: rules.describe("Where several rules match, the strictest holds, whatever their order"),
    profiles: z
      .record(
        profileName,
        z.strictObject({
          extends: z
            .union([profileName, z.array(profileName)])
            .optional()
            .describe("Profiles whose rules hold as well"),
          rules: rules.optional().describe("Further rules, which hold only in this profile"),
        }),
      )
      .optional()
      .describe("Named sets of further rules, bound by the host, neither seen nor chosen by the model"),
    mcp: z
      .strictObject({
        trustedServers: z
          .array(z.string().min(1))
          .optional()
          .describe("MCP servers whose annotations may also loosen"),
      })
      .optional(),
  })
  .meta({ title: "Countersign policy", description: "What an agent's tools may do, and who decides" });

export type PolicyFile = z.infer<typeof policyFileSchema>;
