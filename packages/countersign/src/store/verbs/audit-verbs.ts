import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { audit, auditedTenants, auditPosition, auditTrail, listAudit } from "../audit/audit.js";
import type { AuditPort } from "../ports/audit-port.js";
import { markPublished, readUnpublished, unpublishedTenants } from "../reading/unpublished.js";
import type { Scopes } from "../scopes.js";
import { verifyAudit } from "../verify/verify-audit.js";

/** Reads and verifies the audit log. */
export function auditVerbs({
  inTenant,
  inLogOf,
  reading,
  judging,
}: Scopes): Omit<AuditPort, "exportAudit" | "observe" | "onTransitions" | "subscribe"> {
  return {
    recordNote: (entry) =>
      inTenant(storableText(entry.tenantId), async (tx) => audit(tx, { ...entry, approvalId: null })),
    auditTrail: (tenantId, approvalId) =>
      reading.inTenant(tenantId, (tx) => auditTrail(tx, tenantId, approvalId)),
    listAudit: (filter) => reading.inLogOf(filter.tenantId, (tx) => listAudit(tx, filter)),
    auditedTenants: () => reading.asSystem(auditedTenants),
    auditPosition: (tenantId) => reading.inTenant(tenantId, (tx) => auditPosition(tx, tenantId)),
    verifyAudit: (tenantId, anchor, reader) =>
      verifyAudit((read) => inLogOf(tenantId, read), tenantId, { anchor, reader }),
    unpublishedTenants: (limit) => reading.asSystem((tx) => unpublishedTenants(tx, limit)),
    readUnpublished: (tenantId, limit) => readUnpublished(judging, tenantId, limit),
    markPublished: (tenantId, upTo) => markPublished(judging, tenantId, upTo),
  };
}
