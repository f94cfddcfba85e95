import * as z from "zod";
import { CountersignError } from "../../shared/errors.js";
import { fieldProblems, problemText } from "../../shared/zod-problems.js";
import { profileName } from "../rules/rule-schema.js";
import { termsSchema } from "../rules/terms.js";
import { nameMatches, toolPatternSchema } from "../rules/tool-pattern.js";

const globs = z.array(toolPatternSchema);
const profileSchema = z.strictObject({
  allowlist: globs
    .optional()
    .describe("Tools that run. With this list, a tool on no list is denied; without it, such a tool runs"),
  denylist: globs.optional().describe("Tools that do not run. It wins over `asklist`"),
  asklist: globs.optional().describe("Tools that people are asked about. It wins over `allowlist`"),
  elicitationFallback: z
    .enum(["deny", "allow"])
    .optional()
    .describe("Never applies: the inbox can always ask, and what nobody decides in time is refused"),
});

/** The lists of one evaluation profile: globs of tool names. */
export type EvalProfileConfig = z.infer<typeof profileSchema>;

export const evaluationSchema = z.strictObject({
  defaultProfile: profileName
    .optional()
    .describe(
      "Profile of agents for which the app sets none. Without it, their tools are denied; their own program runs them",
    ),
  profiles: z.record(profileName, profileSchema).optional().describe("Lists of names and globs, by profile"),
  codePreview: z
    .union([
      z.boolean().pipe(z.literal(false)).meta({ const: false }),
      termsSchema.shape.codePreview.unwrap(),
    ])
    .optional()
    .describe(
      "An extension: the script that the calls of an `asklist` have, as in a rule. Default: `code` and `codemode`",
    ),
});

/** The `evaluation` of a configuration with profiles. */
export type EvaluationConfig = z.infer<typeof evaluationSchema>;

/** What a profile says about a tool. */
export const ToolDisposition = { Allow: "allow", Deny: "deny", Ask: "ask" } as const;
export type ToolDisposition = (typeof ToolDisposition)[keyof typeof ToolDisposition];

/**
 * Returns what one profile says about a tool, as a policy file with this profile does: deny wins over ask, and ask over
 * allow. A tool on no list is denied if there is an allowlist, otherwise allowed. Rules of other layers and the
 * annotations of MCP servers may be stricter; `openPolicy(…).explain()` considers them as well.
 *
 * @throws CountersignError `invalid_policy`, naming the field of the profile.
 *
 * @example
 * ```ts
 * import { type EvalProfileConfig, getDisposition } from "@countersign/policy";
 *
 * const supervised: EvalProfileConfig = {
 *   denylist: ["filesystem__delete_*"],
 *   asklist: ["filesystem__*"],
 * };
 *
 * export const dispositions = [
 *   getDisposition(supervised, "filesystem__delete_tree"), // "deny"
 *   getDisposition(supervised, "filesystem__read_file"), // "ask"
 *   getDisposition(supervised, "time__now"), // "allow"
 * ];
 * ```
 */
export function getDisposition(profileConfig: EvalProfileConfig, toolName: string): ToolDisposition {
  const { allowlist, asklist = [], denylist = [] } = checkedProfile(profileConfig);
  const isOn = (list: readonly string[]) => list.some((glob) => nameMatches(glob, toolName));
  if (isOn(denylist)) return "deny";
  if (isOn(asklist)) return "ask";
  return allowlist && !isOn(allowlist) ? "deny" : "allow";
}

/** A misspelled list must not allow what it would deny. */
function checkedProfile(profileConfig: unknown): EvalProfileConfig {
  const parsed = profileSchema.safeParse(profileConfig);
  if (parsed.success) return parsed.data;
  const problems = problemText(fieldProblems(parsed.error, "profileConfig"));
  throw new CountersignError("invalid_policy", `The profile is invalid: ${problems}`);
}
