import { grantScopes } from "@countersign/policy/internal/policy/rules/rule";
import { dayMs, durationMs } from "@countersign/policy/internal/shared/duration";
import { storableTextSchema as text } from "@countersign/policy/internal/shared/storable-text";
import * as z from "zod";

const minMs = 60_000;
const maxMs = 90 * dayMs;
const maxConditionLength = 1000;
const maxUses = 1000;
const maxPathLength = 200;
const maxUnitLength = 20;

/** How much later calls may spend together until the grant expires. */
const budget = z
  .strictObject({
    /** Path of the argument with a call's amount, such as `amount` or `order.total`. */
    amount: text.min(1).max(maxPathLength),
    /** Maximum of all calls together. */
    total: z.number().positive(),
    /** Maximum of one call. @default only the total limits it */
    each: z.number().positive().optional(),
    /** Shown beside the numbers, such as `EUR`. @default none */
    unit: text.trim().min(1).max(maxUnitLength).optional(),
  })
  .refine(({ each, total }) => each === undefined || each <= total, {
    path: ["each"],
    message: "must be at most the total",
  });

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
  /** @default unlimited */
  budget: budget.optional(),
});

export type GrantRequest = z.input<typeof grantRequest>;
