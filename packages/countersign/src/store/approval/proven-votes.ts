import type { Approval, Vote } from "../../approval/approval.js";
import type { Approver } from "../../approval/approval-basis.js";
import { approverOf } from "../../evidence/approver-of.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import type { VoteRow } from "../call-seen.js";
import { type TrailEntry, voteStands } from "../evidence/trail.js";

/**
 * The people with a signed vote of this type on exactly this call, unchanged since. A vote with an unknown key does not
 * count.
 */
export async function provenVotes(
  approval: Approval,
  type: Vote["type"],
  rows: readonly VoteRow[],
  trail: readonly TrailEntry[],
  reader: EvidenceReader,
  onUnknownKey?: () => never,
): Promise<Approver[]> {
  const read = await Promise.all(
    rows.map(async (row): Promise<Approver[]> => {
      const reading = row.token === null ? undefined : await reader.read("vote", row.token);
      if (reading?.ok === false && reading.field === "keyId") onUnknownKey?.();
      if (!reading?.ok || row.type !== type) return [];
      const { claims } = reading;
      const counts =
        claims.tenantId === approval.tenantId &&
        claims.approvalId === approval.id &&
        claims.digest === approval.digest &&
        claims.decision === type &&
        claims.principalId === row.principalId &&
        voteStands(trail, claims.id, claims.principalId);
      return counts ? [approverOf(claims)] : [];
    }),
  );
  return read.flat();
}
