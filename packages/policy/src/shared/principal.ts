import * as z from "zod";
import { deceptiveCharacter } from "./deceptive-character.js";
import { cutText } from "./engine-text.js";
import { CountersignError } from "./errors.js";
import { isPlainObject } from "./plain-object.js";
import { storableText, storableTextSchema } from "./storable-text.js";

const maxTextLength = 200;

const text = storableTextSchema.max(maxTextLength);

/** White space that can disguise an identifier: anything but single spaces between other characters. */
const deceptiveSpace = /[^\S ]|^ | {2}| $/u;

/**
 * Text of an id, tenant or role. Two ids that look the same must not be two people: invisible characters and other than
 * composed forms (NFC) are rejected.
 */
export const identifierSchema = text
  .min(1)
  .refine(
    (value) =>
      !deceptiveCharacter.test(value) && !deceptiveSpace.test(value) && value === value.normalize("NFC"),
    "must be in Unicode's form NFC, without invisible characters or spaces at its ends",
  );

/** How to fix an invalid principal, for errors about options. */
export const principalFix = `must be { id, tenantId?, roles, displayName? }, each text of at most ${maxTextLength} characters without NUL; id, tenantId and roles also in Unicode's form NFC, without invisible characters or spaces at their ends`;

/**
 * The person or service that acts. Derive it from a verified session or token, never from a request body. Roles are
 * compared exactly; `displayName` is for display only.
 */
export const principalSchema = z.object({
  id: identifierSchema,
  tenantId: identifierSchema,
  roles: z.array(identifierSchema),
  displayName: text.optional(),
  /** How the principal was authenticated, for the audit log: `"jwt https://login.example.com/"`. Never a secret. */
  authenticatedBy: text.min(1).optional(),
});

export type Principal = z.infer<typeof principalSchema>;

/** A principal as apps verify it. Without the field `tenantId`, it belongs to the tenant of the instance. */
export type VerifiedPrincipal = Omit<Principal, "tenantId"> & { tenantId?: string };

/** The `authenticatedBy` text, truncated to its maximum length. */
export function authenticatedWith(kind: string, name: unknown): string {
  return storableText(typeof name === "string" ? cutText(`${kind} ${name}`, maxTextLength) : kind);
}

/** Returns a copy with only the known fields, or undefined if the value is no principal. */
export function verifiedPrincipal(value: unknown): VerifiedPrincipal | undefined {
  const found = principalSchema.safeParse(inTenant("default", value)).data;
  if (!found || !lacksTenant(value)) return found;
  const { tenantId: _, ...principal } = found;
  return principal;
}

/**
 * The principal that the host's function returned. A `tenantId` that is there, but has no value, is a mistake of a session,
 * and gives access to no tenant.
 *
 * @param tenantId Of a principal without this field.
 * @throws CountersignError `invalid_option` if the host's function returned something else.
 */
export function requiredPrincipal(value: unknown, returnedBy: string, tenantId: string): Principal {
  const { data } = principalSchema.safeParse(inTenant(tenantId, value));
  if (data) return data;
  throw wrongPrincipal(returnedBy);
}

/** The error for a host's function that returned no principal. */
export function wrongPrincipal(returnedBy: string): CountersignError {
  return new CountersignError("invalid_option", `The principal that ${returnedBy} returned ${principalFix}`);
}

const lacksTenant = (value: unknown): value is object => isPlainObject(value) && !("tenantId" in value);

const inTenant = (tenantId: string, value: unknown) => (lacksTenant(value) ? { ...value, tenantId } : value);

/**
 * The same for two ids that may be one person's: forms of a letter, and upper and lower case, count as one. Ids are
 * stored as they are, and only counting people and finding the requester among them uses this.
 */
export function personKey(id: string): string {
  return id.normalize("NFKC").toLowerCase();
}
