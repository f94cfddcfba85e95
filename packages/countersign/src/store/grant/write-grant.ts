import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../../approval/approval.js";
import type { NewGrant } from "../../approval/grant.js";
import { signedTime } from "../../evidence/signed-time.js";
import type { GrantRow } from "../call-seen.js";
import type { Sealer } from "../evidence/sealing.js";

/** A grant to write, signed if there is a key. */
interface GrantToWrite extends NewGrant {
  id: string;
  scopeId: string | null;
  rerun: boolean;
}

/** The row of an approval's grant. */
export async function grantRow(
  now: Date,
  approval: Approval,
  principal: Principal,
  grant: GrantToWrite,
  sealer: Sealer | undefined,
): Promise<GrantRow> {
  const { id, scope, scopeId, inputHash, condition, authorSeesAll, rerun, lifetimeMs, uses, budget } = grant;
  const { tenantId, toolName, toolVersion, approvers, requesterId, summary } = approval;
  const covers = { id, tenantId, approvalId: approval.id, scope, scopeId, toolName, toolVersion };
  const covered = { ...covers, inputHash, condition, authorSeesAll, rerun };
  const times = { iat: now.getTime() / 1000, exp: (now.getTime() + lifetimeMs) / 1000 };
  const sealed = await sealer?.seal("grant", {
    ...covered,
    ...times,
    uses,
    ...(budget && { budget }),
    requesterId: rerun ? requesterId : null,
    principalId: principal.id,
    roles: principal.roles,
  });
  const { iat, exp } = sealed?.claims ?? times;
  return {
    ...covered,
    summary,
    grantedBy: principal.id,
    grantedRoles: principal.roles,
    approverRoles: approvers.roles,
    approverIds: approvers.ids,
    createdAt: signedTime(iat),
    expiresAt: signedTime(exp),
    ...{ usesLeft: uses, usesTaken: 0, budget, spent: "0", revokedAt: null, revokedBy: null },
    token: sealed?.token ?? null,
  };
}
