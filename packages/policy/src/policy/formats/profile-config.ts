import { z } from "zod";
import { CountersignError } from "../../shared/errors.js";
import { fieldProblems, problemText } from "../../shared/zod-problems.js";
import { profileName, termsSchema } from "../rules/rule.js";
import { nameMatches, toolPatternSchema } from "../rules/tool-pattern.js";

const globs = z.array(toolPatternSchema);
const profileSchema = z.strictObject({
  allowlist: globs.optional(),
  denylist: globs.optional(),
  asklist: globs.optional(),
  elicitationFallback: z.enum(["deny", "allow"]).optional(),
});

/** The lists of one evaluation profile: globs of tool names. */
export type EvalProfileConfig = z.infer<typeof profileSchema>;

export const evaluationSchema = z.strictObject({
  defaultProfile: profileName.optional(),
  profiles: z.record(profileName, profileSchema).optional(),
  /** An extension of the bridge's format. */
  codePreview: z
    .union([z.boolean().pipe(z.literal(false)), termsSchema.shape.codePreview.unwrap()])
    .optional(),
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
