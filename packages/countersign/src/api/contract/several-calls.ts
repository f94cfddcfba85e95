import { storableTextSchema as text } from "@countersign/policy/internal/shared/storable-text";
import * as z from "zod";
import { decisionFields } from "../requests.js";
import { approvalViewSchema } from "./approval-schemas.js";
import { problemSchema } from "./problem-schema.js";

/** A call, and its digest as the reader was shown it. */
export const approvalShown = { id: text.min(1).max(1000), digest: decisionFields.digest };

/** A list of calls, each of which it names once. */
export function eachOnce<Item extends z.ZodType<{ id: string }>>(item: Item, maxItems: number) {
  return z
    .array(item)
    .min(1)
    .max(maxItems)
    .refine((items) => new Set(items.map(({ id }) => id)).size === items.length, {
      message: "must name each approval once",
    });
}

/** The result for each call, in the order of the request. */
export const resultsOfEach = z.object({
  results: z.array(
    z.discriminatedUnion("ok", [
      z.object({ id: z.string(), ok: z.literal(true), approval: approvalViewSchema }),
      z.object({ id: z.string(), ok: z.literal(false), problem: problemSchema }),
    ]),
  ),
});
