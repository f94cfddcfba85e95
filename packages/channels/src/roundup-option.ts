import { durationMs, maxTimeoutMs } from "@countersign/policy/internal/shared/duration";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import type { RoundupTerms } from "countersign/types";
import * as z from "zod";

/**
 * Reports further calls in one message, a roundup: if more than `after` calls arrive for one recipient within `within`,
 * such as `"1m"`. Calls of high and critical risk are counted by themselves. A further roundup can wait for `within`, so
 * keep it far shorter than the time to decide. `false` turns this off.
 */
export type RoundupOption = false | { after?: number; within?: string };

const minMs = 1_000;
const maxMs = Math.min(3_600_000, maxTimeoutMs);
const withinFix = 'must be a duration from 1 second to 1 hour, such as "1m"';

const optionSchema = z
  .union(
    [
      z.literal(false),
      z.strictObject({
        after: z
          .int("must be a whole number from 1 to 100")
          .min(1, "must be a whole number from 1 to 100")
          .max(100, "must be a whole number from 1 to 100")
          .default(3),
        within: z
          .string({ error: withinFix })
          .refine((text) => {
            const value = durationMs(text);
            return value !== undefined && value >= minMs && value <= maxMs;
          }, withinFix)
          .default("1m"),
      }),
    ],
    { error: 'must be false, or an object such as { after: 3, within: "1m" }' },
  )
  .default({ after: 3, within: "1m" });

/** @throws CountersignError `invalid_option`, naming the field. */
export function roundupTerms(option: unknown): RoundupTerms | undefined {
  const parsed = optionSchema.safeParse(option);
  if (!parsed.success) {
    throw new CountersignError("invalid_option", zodProblems(parsed.error, "roundup").join("; "));
  }
  if (parsed.data === false) return undefined;
  const { after, within } = parsed.data;
  return { after, withinMs: Math.round(durationMs(within) ?? minMs) };
}
