// Do not import Drizzle here: public declarations include this file.

import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { OperatorConfirmationActionFingerprint } from "../../evidence/action-fingerprint.js";
import type { Evidence } from "../../evidence/check-evidence.js";
import type { EvidenceOrigin } from "../../evidence/evidence-claims.js";
import type { EvidenceReader, EvidenceSigner } from "../../evidence/evidence-signer.js";
import type {
  ConfirmationRefusal,
  TrustedOperatorConfirmationEvidence,
} from "../../evidence/operator-confirmation.js";

/** An operator's confirmation outside of approvals. */
export interface NewConfirmation {
  principal: Principal;
  action: OperatorConfirmationActionFingerprint;
  origin: EvidenceOrigin;
  ttlMs: number;
}

/** Presented evidence, and the action that it should confirm. */
export interface PresentedConfirmation {
  tenantId: string;
  presented: TrustedOperatorConfirmationEvidence;
  action: OperatorConfirmationActionFingerprint;
}

/** Whether the evidence confirmed the action, and is now consumed. */
export type ConfirmationUse = { ok: true; evidence: Evidence } | { ok: false; refusal: ConfirmationRefusal };

/** Signed evidence of decisions and of operators' confirmations. */
export interface EvidencePort {
  /** The signed evidence of an approval's decision, if it was written. */
  readEvidence(tenantId: string, approvalId: string): Promise<Evidence | undefined>;
  /** Writes the signed evidence of an operator's confirmation outside of approvals. */
  recordConfirmation(input: NewConfirmation, signer: EvidenceSigner): Promise<Evidence>;
  /** Consumes a confirmation for one action, or returns what is wrong with it. Both are in the audit log. */
  consumeConfirmation(input: PresentedConfirmation, reader: EvidenceReader): Promise<ConfirmationUse>;
}
