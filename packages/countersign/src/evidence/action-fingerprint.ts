import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import * as z from "zod";
import type { Approval } from "../approval/approval.js";

/** The action that a confirmation is about. */
export interface OperatorConfirmationActionFingerprint {
  actionKind: "destructive" | "protected";
  toolName: string;
  path?: string;
  scope?: string;
  payloadHash?: string;
}

/** Text with a canonical form: no lone surrogates. */
const text = z
  .string()
  .min(1)
  .refine((value) => !/\p{Surrogate}/u.test(value), "must be valid Unicode");

export const fingerprintFields = {
  actionKind: z.enum(["destructive", "protected"]),
  toolName: text,
  path: text.optional(),
  scope: text.optional(),
  payloadHash: text.optional(),
};

/** Exactly a fingerprint. A field that is `undefined` counts as absent. */
export const fingerprintSchema = z.strictObject(fingerprintFields).transform(withoutUndefined);

function withoutUndefined({
  actionKind,
  toolName,
  path,
  scope,
  payloadHash,
}: {
  actionKind: "destructive" | "protected";
  toolName: string;
  path?: string | undefined;
  scope?: string | undefined;
  payloadHash?: string | undefined;
}): OperatorConfirmationActionFingerprint {
  return {
    actionKind,
    toolName,
    ...(path === undefined ? {} : { path }),
    ...(scope === undefined ? {} : { scope }),
    ...(payloadHash === undefined ? {} : { payloadHash }),
  };
}

/** The fields in which two fingerprints can differ. */
export const fingerprintFieldNames = ["actionKind", "toolName", "path", "scope", "payloadHash"] as const;

/** SHA-256 (hex) of a fingerprint's canonical JSON. */
export function fingerprintDigest(fingerprint: OperatorConfirmationActionFingerprint): string {
  return hashCanonical(fingerprint);
}

/**
 * The fingerprint of a gated call: destructive if its risk is high or critical, with the path in its arguments if they
 * name one, its thread as the scope, and its digest (after an edit, that of the changed call).
 */
export function fingerprintOf(
  approval: Pick<Approval, "risk" | "toolName" | "threadId" | "inputJson" | "digest" | "edited">,
): OperatorConfirmationActionFingerprint {
  const { inputJson, digest } = approval.edited ?? approval;
  const { path } = z.looseObject({ path: text.optional().catch(undefined) }).parse(JSON.parse(inputJson));
  return {
    ...fingerprintWithoutPath({ ...approval, digest }),
    ...(path === undefined ? {} : { path }),
  };
}

/** The same without the path, the only part that repeats an argument. */
export function fingerprintWithoutPath({
  risk,
  toolName,
  threadId,
  digest,
}: Pick<Approval, "risk" | "toolName" | "threadId" | "digest">) {
  return {
    actionKind: risk === "high" || risk === "critical" ? ("destructive" as const) : ("protected" as const),
    toolName,
    ...(threadId ? { scope: threadId } : {}),
    payloadHash: digest,
  };
}
