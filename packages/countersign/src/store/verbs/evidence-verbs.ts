import { consumeConfirmation, recordConfirmation } from "../evidence/confirmation.js";
import { readEvidence } from "../evidence/evidence.js";
import { withSealer } from "../evidence/sealing.js";
import type { EvidencePort } from "../ports/evidence-port.js";
import type { Scopes } from "../scopes.js";

/** Reads evidence, and keeps confirmations. */
export function evidenceVerbs({ inTenant, forTenant, reading }: Scopes): EvidencePort {
  return {
    readEvidence: (tenantId, approvalId) =>
      reading.inTenant(tenantId, (tx) => readEvidence(tx, tenantId, approvalId)),
    recordConfirmation: (input, signer) =>
      withSealer(forTenant(input.principal.tenantId), signer, (tx, sealer) =>
        recordConfirmation(tx, input, sealer),
      ),
    consumeConfirmation: (input, reader) =>
      inTenant(input.tenantId, (tx) => consumeConfirmation(tx, input, reader)),
  };
}
