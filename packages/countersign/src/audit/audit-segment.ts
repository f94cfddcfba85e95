import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { emptyAuditHead } from "./audit-head.js";

/** A part of a tenant's log whose entries were deleted because of their age. */
export interface AuditSegment {
  /** Position of its first entry in the log. */
  firstPosition: number;
  lastPosition: number;
  /** Hash of its last entry. The first entry after it names this hash. */
  headHash: string;
  /** Hash of the segment itself, which covers the hash of the previous one. */
  hash: string;
  /** The database's time. */
  sealedAt: Date;
  /** Whether a `signingKey` signed it. */
  signed: boolean;
}

/** What the hash of a segment covers. */
interface SegmentContent extends Pick<AuditSegment, "firstPosition" | "lastPosition" | "headHash"> {
  tenantId: string;
  previousHash: string;
}

/** The previous hash that a log's first segment names. */
export const noSegment = emptyAuditHead.hash;

/** The segment that follows a log's last one. */
export function segmentAfter(
  last: Pick<AuditSegment, "hash"> | undefined,
  part: Omit<SegmentContent, "previousHash">,
): SegmentContent & Pick<AuditSegment, "hash"> {
  const content = { ...part, previousHash: last?.hash ?? noSegment };
  return { ...content, hash: segmentHash(content) };
}

/** SHA-256 (hex) of a segment's canonical JSON (RFC 8785). */
export function segmentHash(segment: SegmentContent): string {
  const { tenantId, firstPosition, lastPosition, headHash, previousHash } = segment;
  return hashCanonical({ tenantId, firstPosition, lastPosition, headHash, previousHash });
}
