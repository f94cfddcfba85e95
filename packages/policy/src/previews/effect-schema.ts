import * as z from "zod";
import { durationMs } from "../shared/duration.js";
import { storableTextSchema as text } from "../shared/storable-text.js";

/** The effects of a call, where files and options name them. */
export const effectsSchema = z
  .array(
    z.strictObject({
      target: text.min(1).max(200).describe("What changes, such as order A-1001"),
      before: z.unknown().optional().describe("What it is now; absent or null: it does not exist yet"),
      after: z.unknown().optional().describe("What it would be; absent or null: it would be gone"),
      count: z.int().min(0).optional().describe("How many such things would change"),
    }),
  )
  .max(100)
  .describe("What the call would change. Without effects, the call has no preview");

const reversibleValues = 'must be true, false or a duration, such as "30m"';

/** Whether a call can be taken back, where files and options say it. */
export const reversibleSchema = z
  .union(
    [z.boolean(), text.refine((time) => (durationMs(time) ?? 0) > 0, reversibleValues)],
    reversibleValues,
  )
  .describe('Whether the call can be taken back: true, false or within a time, such as "30m"');
