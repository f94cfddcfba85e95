import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import { confirmationSchema, type TrustedOperatorConfirmationEvidence } from "./operator-confirmation.js";

/** A structured message that carries evidence through a program which does not show it. It authorizes nothing. */
export interface OperatorConfirmationEnvelope {
  customType: "operator-confirmation-evidence";
  display: false;
  details: { evidence: TrustedOperatorConfirmationEvidence };
}

/** Exactly an envelope. What runtimes add to a message is accepted and ignored; its text is never read. */
export const envelopeSchema = z
  .strictObject({
    customType: z.literal("operator-confirmation-evidence"),
    display: z.literal(false),
    details: z.strictObject({ evidence: confirmationSchema }),
    role: z.unknown().optional(),
    content: z.unknown().optional(),
    timestamp: z.unknown().optional(),
  })
  .transform(
    ({ customType, display, details }): OperatorConfirmationEnvelope => ({ customType, display, details }),
  );

/** Evidence, or an envelope with evidence. */
export function parsePresented(value: unknown): z.ZodSafeParseResult<TrustedOperatorConfirmationEvidence> {
  const isEnvelope = typeof value === "object" && value !== null && "customType" in value;
  return isEnvelope
    ? envelopeSchema.transform(({ details }) => details.evidence).safeParse(value)
    : confirmationSchema.safeParse(value);
}

/**
 * Puts recorded evidence into an envelope, with all its details.
 *
 * @throws CountersignError `invalid_request` if the value is not evidence.
 *
 * @example
 * ```ts
 * import { confirmationEnvelope, type TrustedOperatorConfirmationEvidence } from "countersign/evidence";
 *
 * export const message = (evidence: TrustedOperatorConfirmationEvidence) => confirmationEnvelope(evidence);
 * ```
 */
export function confirmationEnvelope(
  evidence: TrustedOperatorConfirmationEvidence,
): OperatorConfirmationEnvelope {
  const parsed = confirmationSchema.safeParse(evidence);
  if (!parsed.success) {
    const problems = zodProblems(parsed.error, "evidence").join("; ");
    throw new CountersignError("invalid_request", `The value is not evidence: ${problems}`);
  }
  return {
    customType: "operator-confirmation-evidence",
    display: false,
    details: { evidence: parsed.data },
  };
}
