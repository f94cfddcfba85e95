import { z } from "zod";
import { grantScopes } from "../policy/rules/rule.js";
import { dayMs, durationMs } from "../shared/duration.js";
import { storableTextSchema as text } from "../shared/storable-text.js";

const minMs = 60_000;
const maxMs = 90 * dayMs;
const maxConditionLength = 1000;
const maxUses = 1000;

/** A grant requested with an approval: later calls like this run without asking. */
export const grantRequest = z.strictObject({
  scope: z.enum(grantScopes),
  /** Exactly the arguments of this call, any, or those that meet a CEL condition over the call. */
  arguments: z.union(
    [
      z.literal("exact"),
      z.literal("any"),
      z.strictObject({
        when: text.min(1).max(maxConditionLength),
      }),
    ],
    {
      error: `must be "exact", "any" or {"when": a CEL condition of at most ${maxConditionLength} characters}`,
    },
  ),
  expiresIn: text
    .refine((text) => {
      const value = durationMs(text);
      return value !== undefined && value >= minMs && value <= maxMs;
    }, 'must be a duration between one minute and 90 days, such as "8h"')
    .default("8h"),
  /** Maximum number of uses. @default unlimited */
  uses: z.int().min(1).max(maxUses).optional(),
});

export type GrantRequest = z.input<typeof grantRequest>;
