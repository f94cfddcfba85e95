import ms, { type StringValue } from "ms";
import picomatch from "picomatch";
import { z } from "zod";
import { hashCanonical } from "../approval/digest.js";
import { CountersignError } from "../errors.js";
import { deny, strictest, type Verdict } from "./verdict.js";

/** One call as the policy sees it. */
export interface PolicyCall {
  toolName: string;
  input: unknown;
}

/** Decides what needs a person. Pure: the same call always gets the same verdict. */
export interface Policy {
  /** SHA-256 (hex) of all rules; changes when any rule does. */
  readonly version: string;
  /** The strictest verdict of all rules that match; `default` where none does. Never throws. */
  evaluate(call: PolicyCall): Verdict;
}

/** A policy's rules: exact tool names or globs (`"github-*"`), and what holds where none matches. */
export interface PolicyDefinition {
  tools: Record<string, Verdict>;
  /** Left out: `deny`, so that a tool nobody thought of never runs. */
  default?: Verdict;
}

const duration = z.string().refine((text) => {
  const value = ms(text as StringValue);
  return typeof value === "number" && value >= 1000;
}, 'must be a duration of at least one second, such as "30m"');

const verdictSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("allow") }),
  z.strictObject({
    kind: z.literal("ask"),
    reason: z.string().optional(),
    approvers: z.strictObject({ roles: z.array(z.string().min(1)), ids: z.array(z.string().min(1)) }),
    timeout: duration.optional(),
  }),
  z.strictObject({ kind: z.literal("deny"), reason: z.string().optional() }),
]);

const definitionSchema = z.strictObject({
  tools: z.record(z.string().min(1), verdictSchema),
  default: verdictSchema.optional(),
});

/**
 * Makes a policy from rules on tool names. Where several rules match, the strictest holds, whatever their order.
 *
 * @throws CountersignError `invalid_policy`, naming the rule and the field.
 *
 * @example
 * ```ts
 * import { allow, ask, definePolicy, deny } from "countersign";
 *
 * export const policy = definePolicy({
 *   tools: {
 *     lookup_order: allow(),
 *     "issue_*": ask({ approvers: { roles: ["finance"] } }),
 *     delete_customer: deny("Customers are deleted by the data team only"),
 *   },
 * });
 * ```
 */
export function definePolicy(definition: PolicyDefinition): Policy {
  const parsed = definitionSchema.safeParse(definition);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new CountersignError("invalid_policy", `The policy is wrong at ${problems.join("; ")}`, {
      detail: { problems },
    });
  }
  const rules = Object.entries(definition.tools).map(([pattern, verdict]) => ({
    matches: picomatch(pattern, { dot: true, nonegate: true }),
    verdict,
  }));
  const fallback = definition.default ?? deny("No rule of the policy covers this tool");
  return {
    version: hashCanonical(JSON.parse(JSON.stringify({ tools: definition.tools, default: fallback }))),
    evaluate(call) {
      const matching = rules.filter((rule) => rule.matches(call.toolName)).map((rule) => rule.verdict);
      return strictest(matching) ?? fallback;
    },
  };
}
