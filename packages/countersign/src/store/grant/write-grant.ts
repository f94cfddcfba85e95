import type { Principal } from "@countersign/policy/internal/shared/principal";
import { sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import type { NewGrant } from "../../approval/grant.js";
import type { SignedClaims } from "../../evidence/evidence-claims.js";
import { signedTime } from "../../evidence/signed-time.js";
import type { Session } from "../database.js";
import { timeOf } from "../evidence/evidence.js";
import type { Sealer } from "../evidence/sealing.js";
import { grants } from "../schema.js";

/** A grant to write, signed if there is a key. */
export interface GrantToWrite extends NewGrant {
  id: string;
  scopeId: string | null;
  rerun: boolean;
}

/** Writes the grant of an approval, in its transaction; returns when the grant expires. */
export async function writeGrant(
  session: Session,
  approval: Approval,
  principal: Principal,
  grant: GrantToWrite,
  sealer: Sealer | undefined,
): Promise<Date | undefined> {
  const { id, scope, scopeId, inputHash, condition, authorSeesAll, rerun, lifetimeMs, uses, budget } = grant;
  const { tenantId, toolName, toolVersion, approvers, requesterId, summary } = approval;
  const covered = { id, tenantId, approvalId: approval.id, scope, scopeId, toolName, toolVersion };
  const written = sealer
    ? await sealed(session, sealer, lifetimeMs, {
        ...covered,
        inputHash,
        condition,
        authorSeesAll,
        rerun,
        uses,
        ...(budget && { budget }),
        requesterId: rerun ? requesterId : null,
        principalId: principal.id,
        roles: principal.roles,
      })
    : unsealed(session, lifetimeMs);
  const [row] = await session.db
    .insert(grants)
    .values({
      ...covered,
      inputHash,
      condition,
      authorSeesAll,
      rerun,
      summary,
      grantedBy: principal.id,
      grantedRoles: principal.roles,
      approverRoles: approvers.roles,
      approverIds: approvers.ids,
      usesLeft: uses,
      budget,
      ...written,
    })
    .returning({ expiresAt: grants.expiresAt });
  return row?.expiresAt;
}

function unsealed({ now }: Session, lifetimeMs: number) {
  return { createdAt: now, expiresAt: sql<Date>`${now} + ${lifetimeMs} * interval '1 millisecond'` };
}

async function sealed(
  session: Session,
  sealer: Sealer,
  lifetimeMs: number,
  covers: Omit<SignedClaims["grant"], "iat" | "exp">,
) {
  const now = await timeOf(session);
  const times = { iat: now / 1000, exp: (now + lifetimeMs) / 1000 };
  const { claims, token } = await sealer.seal("grant", { ...covers, ...times });
  return { createdAt: signedTime(claims.iat), expiresAt: signedTime(claims.exp), token };
}
