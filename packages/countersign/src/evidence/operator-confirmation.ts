import * as z from "zod";
import {
  fingerprintFieldNames,
  fingerprintFields,
  fingerprintSchema,
  type OperatorConfirmationActionFingerprint,
} from "./action-fingerprint.js";
import type { Evidence } from "./check-evidence.js";
import { checkRow, sameDigest } from "./check-evidence.js";
import { type EvidenceOrigin, evidenceOrigins } from "./evidence-claims.js";
import type { EvidenceReading } from "./evidence-signer.js";

/** The recorded confirmation, in the form in which it travels to its consumer. By itself it authorizes nothing. */
export type TrustedOperatorConfirmationEvidence = OperatorConfirmationActionFingerprint & {
  id: string;
  origin: EvidenceOrigin;
  trusted: true;
  createdAtIso: string;
  expiresAtIso: string;
  consumedAtIso?: string;
};

const isoTime = z.iso.datetime();

/** Exactly these fields: a string, a message or an envelope with other fields is not evidence. */
export const confirmationSchema = z
  .strictObject({
    ...fingerprintFields,
    id: z.string().regex(/^[\w-]{1,100}$/),
    origin: z.enum(evidenceOrigins),
    trusted: z.literal(true),
    createdAtIso: isoTime,
    expiresAtIso: isoTime,
    consumedAtIso: isoTime.optional(),
  })
  .transform((given): TrustedOperatorConfirmationEvidence => {
    const { id, origin, trusted, createdAtIso, expiresAtIso, consumedAtIso, ...action } = given;
    return {
      ...fingerprintSchema.parse(action),
      id,
      origin,
      trusted,
      createdAtIso,
      expiresAtIso,
      ...(consumedAtIso === undefined ? {} : { consumedAtIso }),
    };
  });

/** Why a confirmation was refused. `field` names the mismatch. It holds no values, which may be secret. */
export interface ConfirmationRefusal {
  code:
    | "not_evidence"
    | "invalid_action"
    | "not_recorded"
    | "signature_invalid"
    | "evidence_changed"
    | "action_mismatch"
    | "already_consumed"
    | "expired";
  field: string;
  message: string;
}

const texts: Record<ConfirmationRefusal["code"], string> = {
  not_evidence: "The value is not evidence of a confirmation",
  invalid_action: "The current action has no valid fingerprint",
  not_recorded: "The confirmation is unknown",
  signature_invalid: "The recorded confirmation could not be verified",
  evidence_changed: "The evidence differs from the recorded confirmation",
  action_mismatch: "The current action differs from the confirmed one",
  already_consumed: "The confirmation has already been used",
  expired: "The confirmation has expired",
};

export function confirmationRefusal(code: ConfirmationRefusal["code"], field: string): ConfirmationRefusal {
  return { code, field, message: `${texts[code]} (${field}).` };
}

/** The evidence of a recorded confirmation. */
export function confirmationOf(
  row: Evidence,
  action: OperatorConfirmationActionFingerprint,
): TrustedOperatorConfirmationEvidence {
  return {
    ...action,
    id: row.id,
    origin: row.origin,
    trusted: true,
    createdAtIso: row.createdAt.toISOString(),
    expiresAtIso: row.expiresAt.toISOString(),
    ...(row.consumedAt ? { consumedAtIso: row.consumedAt.toISOString() } : {}),
  };
}

/**
 * Compares what was recorded and signed, what is presented, and what is about to happen. Returns the first difference.
 */
export function checkConfirmation(
  row: Evidence,
  reading: EvidenceReading,
  presented: TrustedOperatorConfirmationEvidence,
  action: OperatorConfirmationActionFingerprint,
): ConfirmationRefusal | undefined {
  const checked = checkRow(row, reading);
  if (!checked.ok) return confirmationRefusal("signature_invalid", checked.field);
  const recorded = checked.claims.action;
  if (!recorded || checked.claims.decision !== "approve") {
    return confirmationRefusal("signature_invalid", recorded ? "decision" : "action");
  }
  const known = confirmationOf(row, recorded);
  const changed = ([...fingerprintFieldNames, "origin", "createdAtIso", "expiresAtIso"] as const).find(
    (field) => !sameText(presented[field], known[field]),
  );
  if (changed) return confirmationRefusal("evidence_changed", changed);
  const differing = fingerprintFieldNames.find((field) => !sameText(action[field], recorded[field]));
  if (differing) return confirmationRefusal("action_mismatch", differing);
  if (presented.consumedAtIso !== undefined || row.consumedAt) {
    return confirmationRefusal("already_consumed", "consumedAtIso");
  }
  return undefined;
}

function sameText(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined ? one === other : sameDigest(one, other);
}
