export {
  fingerprintOf,
  fingerprintSchema as operatorConfirmationActionFingerprintSchema,
  type OperatorConfirmationActionFingerprint,
} from "./evidence/action-fingerprint.js";
export type { EvidenceClaims, EvidenceOrigin } from "./evidence/evidence-claims.js";
export {
  createEvidenceSigner,
  type EvidenceReading,
  type EvidenceSigner,
  verifyEvidence,
} from "./evidence/evidence-signer.js";
export {
  type ConfirmationRefusal,
  confirmationSchema as trustedOperatorConfirmationEvidenceSchema,
  type TrustedOperatorConfirmationEvidence,
} from "./evidence/operator-confirmation.js";
export {
  type ConfirmationToConsume,
  type ConsumedConfirmation,
  type OperatorConfirmations,
  type OperatorConfirmationsOptions,
  operatorConfirmations,
  type RecordedConfirmation,
} from "./evidence/operator-confirmations.js";
export type { NamedSecret, SigningKey } from "./evidence/signing-key.js";
