import { z } from "zod";
import { durationMs } from "../duration.js";
import { grantScopes } from "../policy/rule.js";

const shortestMs = 60_000;
const longestMs = 90 * 86_400_000;
const longestCondition = 1000;
const mostUses = 1000;

/** What an approver asks for beside an approval: that such calls need nobody from now on. */
export const grantRequest = z.strictObject({
  scope: z.enum(grantScopes),
  /** Exactly the arguments of this call, any, or those for which a CEL condition over the call holds. */
  arguments: z.union(
    [
      z.literal("exact"),
      z.literal("any"),
      z.strictObject({
        when: z
          .string()
          .min(1)
          .max(longestCondition)
          .regex(/^[^\0]*$/),
      }),
    ],
    {
      error: `must be "exact", "any" or {"when": a CEL condition of at most ${longestCondition} characters}`,
    },
  ),
  expiresIn: z
    .string()
    .refine((text) => {
      const value = durationMs(text);
      return value !== undefined && value >= shortestMs && value <= longestMs;
    }, 'must be a duration between one minute and 90 days, such as "8h"')
    .default("8h"),
  /** How often it may be used; any number where left out. */
  uses: z.int().min(1).max(mostUses).optional(),
});

export type GrantRequest = z.input<typeof grantRequest>;
