import { z } from "zod";
import { deceptiveCharacter } from "../display/unseen-marks.js";
import { cutText } from "../shared/engine-text.js";
import { type Principal, principalSchema } from "../shared/principal.js";
import { storableText, storableTextSchema } from "../shared/storable-text.js";

const maxTextLength = 200;

const text = storableTextSchema.max(maxTextLength);

/** White space that can disguise an identifier: anything but single spaces between other characters. */
const deceptiveSpace = /[^\S ]|^ | {2}| $/u;

/**
 * Text of an id, tenant or role. Invisible characters are rejected, because two different people could look the same.
 */
export const identifierSchema = text
  .min(1)
  .refine((value) => !deceptiveCharacter.test(value) && !deceptiveSpace.test(value));

/** How to fix an invalid principal, for errors about options. */
export const principalFix = `must be { id, tenantId, roles, displayName? }, each text of at most ${maxTextLength} characters without NUL; id, tenantId and roles also without invisible characters`;

/** Stricter than {@link principalSchema}: principals from outside must also be short, storable and visible. */
const verifiedPrincipalSchema = principalSchema.extend({
  id: identifierSchema,
  tenantId: identifierSchema,
  roles: z.array(identifierSchema),
  displayName: text.optional(),
  authenticatedBy: text.min(1).optional(),
});

/** The `authenticatedBy` text, truncated to its maximum length. */
export function authenticatedWith(kind: string, name: unknown): string {
  return storableText(typeof name === "string" ? cutText(`${kind} ${name}`, maxTextLength) : kind);
}

/**
 * Returns a copy with only the known fields, or undefined if the value is not a valid principal. Nothing is
 * normalized: ids, tenants and roles are compared by code point, so `Zoë` in two Unicode forms, or `A` and `a`, are
 * different people.
 */
export function verifiedPrincipal(value: unknown): Principal | undefined {
  return verifiedPrincipalSchema.safeParse(value).data;
}
