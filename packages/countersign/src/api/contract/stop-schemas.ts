import * as z from "zod";
import { stopReasonSchema, stopToolSchema } from "../../stops/stop.js";

const time = z.iso.datetime().describe("ISO 8601, UTC");

export const stopViewSchema = z
  .object({
    id: z.string(),
    allTenants: z
      .boolean()
      .describe("Applies to every tenant; only an operator can release it, with the command line"),
    tool: z.string().describe("Exact name or glob of the tools it covers"),
    reason: z.string(),
    engagedBy: z.string(),
    engagedAt: time,
    releasedBy: z.string().nullable(),
    releasedAt: time.nullable(),
    releaseReason: z.string().nullable(),
    mayRelease: z.boolean().describe("Whether the reader can release it now"),
  })
  .describe("An operator's order that stops calls of matching tools");

export type StopView = z.infer<typeof stopViewSchema>;

/** The stop that covers a call, as shown to everyone who may see the call. */
export const coveringStopSchema = stopViewSchema
  .pick({ id: true, tool: true, reason: true, engagedBy: true, engagedAt: true })
  .nullable()
  .describe(
    "The stop that covers this call, or null. Nobody can approve or edit the call until the stop is released",
  );

export const stopBody = z.strictObject({
  tool: stopToolSchema.describe("Exact name or glob of the tools to stop; * for all"),
  reason: stopReasonSchema.describe("Reason, shown to people"),
});

export const releaseBody = z.strictObject({ reason: stopReasonSchema.describe("Reason, shown to people") });
