import { asc, eq } from "drizzle-orm";
import type { AuditVerification } from "../../audit/audit-entry.js";
import type { AuditHead } from "../../audit/audit-head.js";
import { emptyAuditHead } from "../../audit/audit-head.js";
import { type AuditSegment, noSegment, segmentHash } from "../../audit/audit-segment.js";
import { type EvidenceReader, keyIdOf } from "../../evidence/evidence-signer.js";
import type { StoredAuditEntry } from "../audit/audit.js";
import type { Session } from "../database.js";
import { auditSegments } from "../schema.js";

type Fault = Extract<AuditVerification, { ok: false }>;

export type SegmentRow = typeof auditSegments.$inferSelect;

export async function readSegments({ db }: Session, tenantId: string): Promise<SegmentRow[]> {
  return db
    .select()
    .from(auditSegments)
    .where(eq(auditSegments.tenantId, tenantId))
    .orderBy(asc(auditSegments.lastPosition));
}

/** A chain of segments, and what it implies for the entries after them. */
interface CheckedSegments {
  ok: true;
  segments: AuditSegment[];
  /** The head that the first entry after the last segment continues. */
  head: AuditHead;
  /** The first segment whose signature cannot be checked for want of its key. */
  unknownKey: Fault | undefined;
  /** The fault if the entry at a segment's last position does not have the sealed hash. */
  faultAt(position: number, hash: string): Fault | undefined;
  /** A segment that the log's own `audit.sealed` entries omit or contradict. */
  faultOfLog(sealings: readonly StoredAuditEntry[]): Fault | undefined;
}

/** Checks the chain of a tenant's sealed segments, from the first entry of its log. */
export async function checkSegments(
  tenantId: string,
  rows: readonly SegmentRow[],
  { anchor, reader }: { anchor: AuditHead | undefined; reader: EvidenceReader | undefined },
): Promise<CheckedSegments | Fault> {
  let head = emptyAuditHead;
  let previousHash = noSegment;
  let unknownKey: Fault | undefined;
  for (const row of rows) {
    const { firstPosition, lastPosition, headHash, hash } = row;
    const place = head.position + 1;
    if (firstPosition !== place) {
      return fault(place, `a sealed segment is missing: the next one starts at entry ${firstPosition}`);
    }
    const content = { tenantId, firstPosition, lastPosition, headHash, previousHash };
    if (lastPosition < firstPosition || row.previousHash !== previousHash || segmentHash(content) !== hash) {
      return fault(place, "the sealed segment that starts here was changed");
    }
    const unsigned = reader && (await signatureFault(row, reader));
    if (unsigned?.problem === "segment") return unsigned;
    unknownKey ??= unsigned;
    head = { position: lastPosition, hash: headHash };
    previousHash = hash;
  }
  if (anchor && anchor.position <= head.position) {
    const end = rows.find(({ lastPosition }) => lastPosition === anchor.position);
    if (!end) {
      return fault(
        anchor.position,
        "it was sealed and removed, so it cannot be compared with the anchor; verify the archive that contains it",
      );
    }
    if (end.headHash !== anchor.hash) return fault(anchor.position, "its hash differs from the anchor");
  }
  const last = rows.at(-1);
  return {
    ok: true,
    segments: rows.map(({ firstPosition, lastPosition, headHash, hash, sealedAt, token }) => ({
      firstPosition,
      lastPosition,
      headHash,
      hash,
      sealedAt,
      signed: token !== null,
    })),
    head,
    unknownKey,
    faultAt(position, hash) {
      const end = rows.find(({ lastPosition }) => lastPosition === position);
      return end && end.headHash !== hash
        ? fault(position, "it is not the entry that sealed its segment")
        : undefined;
    },
    faultOfLog(sealings) {
      const unknown = sealings.find(({ data }) => !rows.some(({ hash }) => hash === data.segmentHash));
      if (unknown) {
        return fault(unknown.position, "it refers to a sealed segment that is missing or was changed");
      }
      const isLogged = last === undefined || sealings.some(({ data }) => data.segmentHash === last.hash);
      return isLogged
        ? undefined
        : fault(last.firstPosition, "the log has no entry for the sealed segment that starts here");
    },
  };
}

async function signatureFault(row: SegmentRow, reader: EvidenceReader): Promise<Fault | undefined> {
  const faulty = (what: string, problem?: Fault["problem"]) =>
    fault(row.firstPosition, `the sealed segment that starts here ${what}`, problem);
  if (row.token === null) return faulty("is not signed");
  const reading = await reader.read("segment", row.token);
  if (!reading.ok) {
    if (reading.field !== "keyId") return faulty(`has no valid signature (${reading.field})`);
    const keyId = JSON.stringify(keyIdOf(row.token) ?? null);
    return faulty(
      `was signed with the key ${keyId}, which is not among the given keys; add it, or its public half, to signingKey.previous`,
      "unknown_key",
    );
  }
  const { claims } = reading;
  const same =
    claims.tenantId === row.tenantId &&
    claims.firstPosition === row.firstPosition &&
    claims.lastPosition === row.lastPosition &&
    claims.headHash === row.headHash &&
    claims.segmentHash === row.hash;
  return same ? undefined : faulty("has the signature of another segment");
}

function fault(position: number, what: string, problem: Fault["problem"] = "segment"): Fault {
  return { ok: false, position, problem, message: `Entry ${position}: ${what}` };
}
