import * as z from "zod";

/** Problem details (RFC 9457): the body of every API error. */
export const problemSchema = z.looseObject({
  type: z.string().describe("urn:countersign:error: followed by the code"),
  title: z.string(),
  status: z.int(),
  code: z.string().describe("Stable error code for programs"),
  detail: z.string().describe("What happened and what to do"),
  instance: z.string(),
  errors: z
    .array(z.object({ field: z.string(), message: z.string() }))
    .optional()
    .describe("All invalid fields of the request"),
});

export type Problem = z.infer<typeof problemSchema>;
