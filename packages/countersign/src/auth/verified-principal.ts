import { z } from "zod";
import { storableText } from "../approval/storable-text.js";
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
  authenticatedBy: text.min(1).optional(),
});

/** How a principal is known, cut to what a principal may say of it. */
export function authenticatedWith(kind: string, name: unknown): string {
  return storableText(typeof name === "string" ? `${kind} ${name}`.slice(0, longestText) : kind);
}

/** A fresh principal with known fields only, or undefined where the value is none. */
export function verifiedPrincipal(value: unknown): Principal | undefined {
  return verifiedPrincipalSchema.safeParse(value).data;
}
