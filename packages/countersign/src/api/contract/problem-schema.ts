import { z } from "zod";

/** Problem details (RFC 9457), as every error of the API answers. */
export const problemSchema = z.looseObject({
  type: z.string().describe("urn:countersign:error: and the code"),
  title: z.string(),
  status: z.int(),
  code: z.string().describe("Stable, for code"),
  detail: z.string().describe("What happened, and what to do"),
  instance: z.string(),
  errors: z
    .array(z.object({ field: z.string(), message: z.string() }))
    .optional()
    .describe("Every wrong field of the request"),
});

export type Problem = z.infer<typeof problemSchema>;
