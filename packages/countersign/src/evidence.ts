export {
  type ConfirmationChannel,
  type ConfirmationChannelPlan,
  confirmationChannelPlan,
} from "./confirmations/channel-plan.js";
export {
  type ConfirmationToConsume,
  type ConsumedConfirmation,
  type OperatorConfirmations,
  type OperatorConfirmationsOptions,
  operatorConfirmations,
  type RecordedConfirmation,
} from "./confirmations/operator-confirmations.js";
export {
  fingerprintOf,
  fingerprintSchema as operatorConfirmationActionFingerprintSchema,
  type OperatorConfirmationActionFingerprint,
} from "./evidence/action-fingerprint.js";
export {
  confirmationEnvelope,
  envelopeSchema as operatorConfirmationEnvelopeSchema,
  type OperatorConfirmationEnvelope,
} from "./evidence/confirmation-envelope.js";
export type { EvidenceClaims, EvidenceOrigin, SignedClaims, SignedKind } from "./evidence/evidence-claims.js";
export {
  createEvidenceReader,
  createEvidenceSigner,
  type EvidenceReader,
  type EvidenceReading,
  type EvidenceSigner,
  type Reading,
  verifyEvidence,
} from "./evidence/evidence-signer.js";
export {
  type ConfirmationRefusal,
  confirmationSchema as trustedOperatorConfirmationEvidenceSchema,
  type TrustedOperatorConfirmationEvidence,
} from "./evidence/operator-confirmation.js";
export type { NamedSecret, SigningKey, VerificationKey } from "./evidence/signing-key.js";
export type { PublicSigningKey, SigningService } from "./evidence/signing-service.js";
