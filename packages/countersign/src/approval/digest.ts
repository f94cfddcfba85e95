import { createHash } from "node:crypto";
import canonicalize from "canonicalize";

/** What a person's approval is about. */
export interface DigestSubject {
  tenantId: string;
  toolName: string;
  toolVersion: string;
  inputJson: string;
  policyVersion: string;
}

/** SHA-256 (hex) of the canonical JSON (RFC 8785) of any JSON value. */
export function hashCanonical(value: unknown): string {
  const canonical = canonicalize(value);
  if (canonical === undefined) throw new TypeError("Only JSON values have a digest");
  return createHash("sha256").update(canonical).digest("hex");
}

/** The digest that a decision names and that execution checks again. */
export function approvalDigest(subject: DigestSubject): string {
  return hashCanonical({
    tenantId: subject.tenantId,
    toolName: subject.toolName,
    toolVersion: subject.toolVersion,
    input: JSON.parse(subject.inputJson),
    policyVersion: subject.policyVersion,
  });
}

/** A short id that is the same on every replay: `prefix_` and 22 characters of a SHA-256. */
export function derivedId(prefix: string, ...parts: (string | number)[]): string {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
  return `${prefix}_${hash.slice(0, 22)}`;
}
