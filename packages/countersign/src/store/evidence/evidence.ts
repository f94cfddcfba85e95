import { randomUUID } from "node:crypto";
import { and, asc, eq, isNull, not, sql } from "drizzle-orm";
import type { Approval, Decision } from "../../approval/approval.js";
import type { Evidence } from "../../evidence/check-evidence.js";
import type { Delegator, EvidenceOrigin } from "../../evidence/evidence-claims.js";
import { saltedHash } from "../../evidence/salted-hash.js";
import { signedTime } from "../../evidence/signed-time.js";
import type { Session } from "../database.js";
import { hasId } from "../rows/has-id.js";
import { auditEntries, evidence } from "../schema.js";
import type { Sealer } from "./sealing.js";

/** Evidence as audit entries name it. */
export interface EvidenceName {
  evidenceId: string;
  keyId: string;
}

/** Signed evidence that is not in the table yet. */
export interface SealedEvidence {
  row: Omit<Evidence, "consumedAt">;
  /** For the entry about the decision, which the database keeps at least until `proofUntil`. */
  entry: EvidenceName & { proofUntil: string };
  /** The signed time of the decision. */
  decidedAt: Date;
}

/** Who decided what, and how that person was authenticated. */
export interface ProvenDecision {
  type: Decision["type"];
  principalId: string;
  roles: readonly string[];
  onBehalfOf: Delegator | null;
  /** The deciding grant, if no person was asked. */
  grantId: string | null;
  origin: EvidenceOrigin;
  /** How the person was authenticated; `null` if the host does not say. */
  via: string | null;
  reason: string | null;
  responseJson: string | null;
  /** Until when the decision is held. @default not at all */
  heldUntil?: Date;
}

type DecidedCall = Pick<
  Approval,
  "id" | "tenantId" | "requestId" | "toolName" | "digest" | "edited" | "nonce"
> & { decidedAt: Date };

/**
 * Signs the evidence of one decision. It is valid for the key's ttl, counted from the deadline of the request's last
 * call: until then its run cannot continue.
 */
export async function sealEvidence(
  approval: DecidedCall,
  decision: ProvenDecision,
  sealer: Sealer,
  openUntil: number,
): Promise<SealedEvidence> {
  const { reason, responseJson, grantId, onBehalfOf, via, heldUntil } = decision;
  const { claims, token } = await sealer.seal("evidence", {
    id: `evd_${randomUUID()}`,
    tenantId: approval.tenantId,
    approvalId: approval.id,
    toolName: approval.toolName,
    digest: (approval.edited ?? approval).digest,
    decision: decision.type,
    principalId: decision.principalId,
    roles: [...decision.roles],
    origin: decision.origin,
    iat: approval.decidedAt.getTime() / 1000,
    exp: (openUntil + sealer.ttlMs) / 1000,
    ...(heldUntil === undefined ? {} : { nbf: heldUntil.getTime() / 1000 }),
    ...(onBehalfOf === null ? {} : { onBehalfOf }),
    ...(via === null ? {} : { via }),
    ...(grantId === null ? {} : { grantId }),
    ...(responseJson === null ? {} : { responseHash: saltedHash(approval, responseJson) }),
    ...(reason === null ? {} : { reasonHash: saltedHash(approval, reason) }),
  });
  const { id, tenantId, approvalId, digest, principalId, origin } = claims;
  const [createdAt, expiresAt] = [signedTime(claims.iat), signedTime(claims.exp)];
  const row = {
    id,
    tenantId,
    approvalId,
    digest,
    principalId,
    origin,
    via,
    token,
    createdAt,
    expiresAt,
    decision: claims.decision,
    keyId: sealer.keyId,
  };
  const entry = { evidenceId: id, keyId: sealer.keyId, proofUntil: expiresAt.toISOString() };
  return { row, entry, decidedAt: createdAt };
}

/** A time of the database in milliseconds since 1970, as text. */
function milliseconds(time: unknown) {
  return sql<string>`floor(extract(epoch from ${time}) * 1000)::bigint::text`;
}

/** The database's time in milliseconds since 1970. */
export async function timeOf({ db, now }: Session): Promise<number> {
  const [time] = await db.select({ ms: milliseconds(now) }).from(sql`(select 1) as one`);
  return Number(time?.ms);
}

/** The order in which the first evidence of an approval is that of its decision. */
const oldestFirst = [asc(evidence.createdAt), asc(evidence.id)];

/** Whether the decision of a row of evidence was held, and its person took it back. The log decides, not the rows. */
const wasTakenBack = sql`exists (
  select from ${auditEntries} made join ${auditEntries} back
    on back.tenant_id = made.tenant_id and back.approval_id = made.approval_id and back.position > made.position
  where made.tenant_id = ${evidence}.tenant_id and made.approval_id = ${evidence}.approval_id
    and made.type = 'approval.held' and made.data ->> 'evidenceId' = ${evidence}.id
    and back.type = 'approval.taken_back')`;

/**
 * Whether the decision of a row of evidence was held, and by the log took effect before the end of that time, or not at
 * all. Times are compared as text in UTC, which fails for no content.
 */
const wasHeldLonger = sql`exists (
  select from ${auditEntries} made
  where made.tenant_id = ${evidence}.tenant_id and made.approval_id = ${evidence}.approval_id
    and made.type = 'approval.held' and made.data ->> 'evidenceId' = ${evidence}.id
    and not exists (
      select from ${auditEntries} effect
      where effect.tenant_id = made.tenant_id and effect.approval_id = made.approval_id
        and effect.position > made.position and effect.type <> 'approval.held'
        and effect.data ->> 'evidenceId' = ${evidence}.id
        and to_char(effect.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C" >= made.data ->> 'until'))`;

/** The evidence of an approval's decision. */
export async function readEvidence(
  { db }: Session,
  tenantId: string,
  approvalId: string,
): Promise<Evidence | undefined> {
  const [row] = await db
    .select()
    .from(evidence)
    .where(
      and(
        eq(evidence.tenantId, tenantId),
        hasId(evidence.approvalId, approvalId),
        not(wasTakenBack),
        not(wasHeldLonger),
      ),
    )
    .orderBy(...oldestFirst)
    .limit(1);
  return row;
}

export type ConsumedEvidence = ({ ok: true } & EvidenceName) | { ok: false; field: string };

/** The compare-and-swap itself: `consumed_at` is set once, before the evidence expires. */
export async function consumeRow({ db, now }: Session, row: Evidence): Promise<ConsumedEvidence> {
  const used = await db
    .update(evidence)
    .set({ consumedAt: now })
    .where(and(eq(evidence.id, row.id), isNull(evidence.consumedAt), sql`${evidence.expiresAt} > ${now}`))
    .returning({ id: evidence.id });
  if (used.length > 0) return { ok: true, evidenceId: row.id, keyId: row.keyId };
  const [left] = await db
    .select({ consumedAt: evidence.consumedAt })
    .from(evidence)
    .where(eq(evidence.id, row.id));
  return { ok: false, field: left && !left.consumedAt ? "expiresAt" : "consumedAt" };
}
