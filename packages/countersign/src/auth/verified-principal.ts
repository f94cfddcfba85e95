import { z } from "zod";
import { type Principal, principalSchema } from "../principal.js";

const longestText = 200;

/** NUL, which Postgres refuses, and halves of surrogate pairs, which it would store as one and the same character. */
const unstorable = /[\0\p{Surrogate}]/u;

const text = z
  .string()
  .max(longestText)
  .refine((value) => !unstorable.test(value));

/** Stricter than {@link principalSchema}: what comes from outside must also be short and storable as it is. */
const verifiedPrincipalSchema = principalSchema.extend({
  id: text.min(1),
  tenantId: text.min(1),
  roles: z.array(text.min(1)),
  displayName: text.optional(),
});

/** A fresh principal with known fields only, or undefined where the value is none. */
export function verifiedPrincipal(value: unknown): Principal | undefined {
  return verifiedPrincipalSchema.safeParse(value).data;
}
