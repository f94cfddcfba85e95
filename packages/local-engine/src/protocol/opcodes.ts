import * as z from "zod";
import { jsonObjectSchema } from "./event.js";

/** One request or report of a function. */
export const opcodeSchema = z.object({
  op: z.string(),
  id: z.string().min(1),
  name: z.string().nullish(),
  displayName: z.string().nullish(),
  opts: z.record(z.string(), z.unknown()).nullish(),
  data: z.unknown().optional(),
  error: z.unknown().optional(),
});

export type Opcode = z.output<typeof opcodeSchema>;

/** The body of a 206: the opcodes of one request. */
export const opcodesSchema = z.union([z.array(opcodeSchema), opcodeSchema.transform((op) => [op])]);

export const waitForEventOptsSchema = z.object({ timeout: z.string(), if: z.string().nullish() });

export const invokeFunctionOptsSchema = z.object({
  function_id: z.string().min(1),
  payload: z
    .object({
      data: jsonObjectSchema.nullish(),
      user: jsonObjectSchema.nullish(),
    })
    .nullish(),
  timeout: z.string().nullish(),
});

export const aiGatewayOptsSchema = z.object({
  url: z.url(),
  auth_key: z.string().nullish(),
  format: z.string().nullish(),
  headers: z.record(z.string(), z.string()).nullish(),
  body: z.unknown(),
});

export type AiGatewayOpts = z.output<typeof aiGatewayOptsSchema>;
