import { z } from "zod";
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

/** What was recorded of a confirmation, as it travels to whoever consumes it. By itself it authorizes nothing. */
export type TrustedOperatorConfirmationEvidence = OperatorConfirmationActionFingerprint & {
  id: string;
  origin: EvidenceOrigin;
  trusted: true;
  createdAtIso: string;
  expiresAtIso: string;
  consumedAtIso?: string;
};

const isoTime = z.iso.datetime();

/** Exactly these fields: a text, a message or an envelope with something else beside it is no evidence. */
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

/** Why a confirmation was refused. `field` names what did not match; no values, which may be secret. */
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

const words: Record<ConfirmationRefusal["code"], string> = {
  not_evidence: "This is not the evidence of a confirmation",
  invalid_action: "The action at hand has no usable fingerprint",
  not_recorded: "No such confirmation was recorded",
  signature_invalid: "The recorded confirmation could not be verified",
  evidence_changed: "The evidence is not what was recorded",
  action_mismatch: "The action at hand is not the one that was confirmed",
  already_consumed: "The confirmation has been used",
  expired: "The time of the confirmation is over",
};

export function confirmationRefusal(code: ConfirmationRefusal["code"], field: string): ConfirmationRefusal {
  return { code, field, message: `${words[code]} (${field}).` };
}

/** The evidence that a recorded confirmation is handed out as. */
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

/** Compares what was recorded and signed, what is presented, and what is about to happen: the first difference. */
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
