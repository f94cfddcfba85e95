import { randomUUID } from "node:crypto";
import type { SignedClaims } from "countersign/evidence";
import { maintenance, type Transaction } from "countersign/internal/maintenance";
import { approvals, auditEntries, auditSegments, evidence, grants, stops } from "countersign/schema";
import type { AuditSegment } from "countersign/types";
import { and, asc, desc, eq, gt, lte, sql } from "drizzle-orm";
import type { HeldEntry, Sealable, SealablePart } from "./retention-port.js";

/** Signs a segment within the transaction. */
interface Sealer {
  readonly keyId: string;
  seal(kind: "segment", claims: SignedClaims["segment"]): Promise<{ token: string }>;
}

/** Number of entries read at once. */
const pageSize = 5000;

/** Maximum entries of one segment. The database checks all of them in one statement. */
const maxPart = 100_000;

/** Entries about the deletion itself. They alone do not justify another segment. */
const housekeeping = ["audit.sealed", "retention.pruned"];

async function lastSegment({ db }: Transaction, tenantId: string) {
  const [last] = await db
    .select()
    .from(auditSegments)
    .where(eq(auditSegments.tenantId, tenantId))
    .orderBy(desc(auditSegments.lastPosition))
    .limit(1);
  return last;
}

/**
 * The part of a tenant's log that may be sealed: everything older than a time, up to the first entry about an approval,
 * grant, evidence or stop whose row still exists, or whose proof has not expired. Until then, the log keeps it from
 * counting twice. For proofs, the database's triggers enforce this.
 *
 * @param inTenant Runs the reading of one page.
 */
export async function sealablePart(
  inTenant: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>,
  tenantId: string,
  before: Date,
): Promise<Sealable> {
  const sealed = (await inTenant((tx) => lastSegment(tx, tenantId)))?.lastPosition ?? 0;
  let last: { position: number; hash: string } | undefined;
  let matters = false;
  let held: HeldEntry | undefined;
  for (let after = sealed; ; ) {
    const page = await inTenant((tx) => readPage(tx, { tenantId, after, upTo: sealed + maxPart, before }));
    const end = page.find(({ isYoung, isHeld }) => isYoung || isHeld);
    if (end && !end.isYoung) held = { position: end.position, type: end.type, approvalId: end.approvalId };
    const free = end ? page.slice(0, page.indexOf(end)) : page;
    matters ||= free.some(({ type }) => !housekeeping.includes(type));
    last = free.at(-1) ?? last;
    if (end || page.length < pageSize || !last) break;
    after = last.position;
  }
  const part =
    last && matters
      ? { firstPosition: sealed + 1, lastPosition: last.position, headHash: last.hash }
      : undefined;
  return { part, held };
}

function readPage(
  { db, now }: Transaction,
  { tenantId, after, upTo, before }: { tenantId: string; after: number; upTo: number; before: Date },
) {
  const time = sql`${before.toISOString()}::timestamptz`;
  return db
    .select({
      position: auditEntries.position,
      hash: auditEntries.hash,
      type: auditEntries.type,
      approvalId: auditEntries.approvalId,
      isYoung: sql<boolean>`at >= ${time}`,
      // The outer table's columns are unqualified here, and the inner tables have no columns of these names.
      isHeld: sql<boolean>`at < ${time} and (
        exists (select from ${approvals} a where a.tenant_id = ${tenantId} and a.id = audit_entries.approval_id)
        or exists (select from ${evidence} e where e.tenant_id = ${tenantId} and e.approval_id = audit_entries.approval_id)
        or exists (select from ${grants} g where g.tenant_id = ${tenantId} and g.id = audit_entries.data ->> 'grantId')
        or exists (select from ${evidence} e where e.tenant_id = ${tenantId} and e.id = audit_entries.data ->> 'evidenceId')
        or (audit_entries.type in ('stop.engaged', 'stop.released')
          and exists (select from ${stops} s where s.id = audit_entries.data ->> 'stopId'))
        or greatest(audit_entries.data ->> 'proofUntil', audit_entries.data ->> 'expiresAt') collate "C"
          > to_char(${now} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`,
    })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.tenantId, tenantId),
        gt(auditEntries.position, after),
        lte(auditEntries.position, upTo),
      ),
    )
    .orderBy(asc(auditEntries.position))
    .limit(pageSize);
}

/**
 * Writes the segment of a part, and the log's own entry about it. The part's entries may be deleted from then on.
 *
 * @returns `undefined` if another process has sealed entries since the part was read.
 */
export async function sealPart(
  tx: Transaction,
  { tenantId, part, by }: { tenantId: string; part: SealablePart; by: string | null },
  sealer: Sealer | undefined,
): Promise<AuditSegment | undefined> {
  await takeTurn(tx, tenantId);
  const previous = await lastSegment(tx, tenantId);
  if ((previous?.lastPosition ?? 0) + 1 !== part.firstPosition) return undefined;
  const segment = maintenance.segmentAfter(previous, { tenantId, ...part });
  const { firstPosition, lastPosition, headHash, hash } = segment;
  const now = await maintenance.timeOf(tx);
  const signed = sealer && {
    token: (
      await sealer.seal("segment", {
        id: `seg_${randomUUID()}`,
        tenantId,
        iat: now / 1000,
        firstPosition,
        lastPosition,
        headHash,
        segmentHash: hash,
      })
    ).token,
    keyId: sealer.keyId,
  };
  const sealedAt = new Date(now);
  await tx.db.insert(auditSegments).values({ ...segment, sealedAt, token: signed?.token ?? null });
  tx.audited.push({
    tenantId,
    approvalId: null,
    type: "audit.sealed",
    actorId: by,
    data: { ...part, segmentHash: hash, ...(signed ? { keyId: signed.keyId } : {}) },
  });
  return { firstPosition, lastPosition, headHash, hash, sealedAt, signed: signed !== undefined };
}

/** Deletes the oldest entries of sealed segments, in order, so that the rest of a segment is its end. */
export async function deleteSealed(
  tx: Transaction,
  { tenantId, limit }: { tenantId: string; limit: number },
): Promise<number> {
  await takeTurn(tx, tenantId);
  const end = (await lastSegment(tx, tenantId))?.lastPosition ?? 0;
  const [first] = await tx.db
    .select({ position: auditEntries.position })
    .from(auditEntries)
    .where(eq(auditEntries.tenantId, tenantId))
    .orderBy(asc(auditEntries.position))
    .limit(1);
  if (!first || first.position > end) return 0;
  const last = Math.min(end, first.position + limit - 1);
  const gone = await tx.db
    .delete(auditEntries)
    .where(and(eq(auditEntries.tenantId, tenantId), sql`${auditEntries.position} <= ${last}`))
    .returning({ one: sql`1` });
  return gone.length;
}

/** Serialises sealing and deletion within one tenant's log. */
async function takeTurn({ db }: Transaction, tenantId: string): Promise<void> {
  await db.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`countersign:retention:${tenantId}`}, 0))`,
  );
}
