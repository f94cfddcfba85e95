import * as z from "zod";
import { approvalViewSchema, time } from "./approval-schemas.js";

/** The data of each kind of event that `GET /events` sends. */
export const eventSchemas = {
  hello: z.object({ serverTime: time }),
  change: z.object({
    position: z.int().describe("The entry's position in the audit log; also the event's id"),
    type: z.string().describe("The entry's type, such as approval.approved"),
    approvalId: z.string().nullable(),
    at: time,
    row: approvalViewSchema
      .optional()
      .describe(
        "With ?rows=true, in the latest of several events about an approval: the approval without its values",
      ),
  }),
  viewing: z.object({ approvalId: z.string() }),
  stops: z.object({}),
};

export type EventName = keyof typeof eventSchemas;
export type EventData<Name extends EventName> = z.input<(typeof eventSchemas)[Name]>;
