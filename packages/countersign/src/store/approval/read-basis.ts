import type { Approval } from "../../approval/approval.js";
import type { ApprovalBasis, Approver } from "../../approval/approval-basis.js";
import { votesTo } from "../../approval/quorum.js";
import { isNamed } from "../../approval/who-decides.js";
import { approverOf } from "../../evidence/approver-of.js";
import { checkForApproval, type Evidence } from "../../evidence/check-evidence.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import { checkGrant } from "../../evidence/grant-proof.js";
import { signedTime } from "../../evidence/signed-time.js";
import { signingKeyMissing } from "../../evidence/signing-key-missing.js";
import type { CallSeen, GrantRow, VoteRow } from "../call-seen.js";
import { approvalIn, openTimes, type TrailEntry, wasTakenBack } from "../evidence/trail.js";
import { standsBy } from "../grant/use-grant.js";
import { provenVotes } from "./proven-votes.js";

/** The people or the grant behind an approval. With a signer, also the evidence, or the first field that fails. */
export type BasisResult =
  | { ok: true; basis: ApprovalBasis; evidence: Evidence | undefined }
  | { ok: false; field: string };

/** What is read of a call to learn who approved it. */
type Seen = Pick<CallSeen, "votes" | "trail" | "grant"> & { proof: { row: Evidence } | undefined };

/** The basis from the rows, which is enough if nothing is signed. */
export function basisFromRows(approval: Approval, { grant, votes }: Seen): BasisResult {
  const basis = grant ? grantBasis(grant.row) : peopleOf(approval, votes);
  return { ok: true, basis, evidence: undefined };
}

function peopleOf(approval: Approval, votes: readonly VoteRow[]): ApprovalBasis {
  const { decision, assignedBy, assignedRoles, terms } = approval;
  if (terms.quorum > 1) {
    const approvers = votesTo("approve", votes).map(
      ({ principalId, roles, onBehalfOf, onBehalfOfRoles, votedAt }) =>
        approver({ id: principalId, roles }, onBehalfOf, onBehalfOfRoles, votedAt),
    );
    return { by: "people", approvers };
  }
  if (!decision?.decidedBy) return { by: "people", approvers: [] };
  const person = { id: decision.decidedBy, roles: decision.roles ?? [] };
  const delegator = isNamed(approval, person) ? null : assignedBy;
  return { by: "people", approvers: [approver(person, delegator, assignedRoles, decision.decidedAt)] };
}

function approver(
  person: { id: string; roles: string[] },
  delegator: string | null,
  delegatorRoles: string[] | null,
  at: Date,
): Approver {
  const onBehalfOf = delegator === null ? null : { id: delegator, roles: delegatorRoles ?? [] };
  return { ...person, onBehalfOf, at: at.getTime() };
}

function grantBasis(grant: GrantRow): ApprovalBasis {
  const { scope, rerun, grantedBy, grantedRoles, condition: text, authorSeesAll } = grant;
  const condition = text === null ? null : { text, authorSeesAll };
  return { by: "grant", scope, rerun, grantor: { id: grantedBy, roles: grantedRoles }, condition };
}

/**
 * The basis from signatures, for a call that is about to start or, after a crash, to continue: the signature of the
 * decision, of its votes, or of the grant. The log and the rows then show whether the signature is still valid.
 */
export async function basisFromEvidence(
  approval: Approval,
  { proof, trail, votes, grant }: Seen,
  reader: EvidenceReader,
): Promise<BasisResult> {
  const { id, terms } = approval;
  if (!proof) return { ok: false, field: "evidence" };
  const evidence = proof.row;
  const reading = await reader.read("evidence", evidence.token);
  const logged = approvalIn(trail, evidence.id);
  // The log, and not only the row, says that another process has the key.
  if (!reading.ok && reading.field === "keyId" && logged && !reader.knows(logged.data.keyId)) {
    throw signingKeyMissing(id);
  }
  const checked = checkForApproval(approval, evidence, reading);
  if (!checked.ok) return checked;
  // Somebody with write access could reset the rows, but cannot remove entries from the log.
  if (!logged || wasTakenBack(trail, evidence.id)) return { ok: false, field: "log" };
  if (checked.claims.nbf !== undefined && logged.at < signedTime(checked.claims.nbf).getTime()) {
    return { ok: false, field: "nbf" };
  }
  const used = evidence.consumedAt !== null;
  if (used !== (approval.status === "executing")) return { ok: false, field: "consumedAt" };
  const { claims } = checked;
  if (approval.grantId !== null) {
    const signed = grant && (await checkGrant(grant.row, reader));
    if (signed?.ok === false && signed.field === "keyId") throw signingKeyMissing(id);
    if (!grant || !signed?.ok || !standsBy(grant.entries) || claims.principalId !== grant.row.grantedBy) {
      return { ok: false, field: "grant" };
    }
    return { ok: true, basis: grantBasis(grant.row), evidence };
  }
  const approvers =
    terms.quorum > 1
      ? await provenVotes(approval, "approve", votes, trail, reader, () => {
          throw signingKeyMissing(id);
        })
      : [approverOf(claims)];
  if (!approvers.every(({ at }) => wasOpen(approval, trail, at))) return { ok: false, field: "decidedAt" };
  return { ok: true, basis: { by: "people", approvers }, evidence };
}

function wasOpen(approval: Approval, trail: readonly TrailEntry[], at: number): boolean {
  const open = openTimes(approval, trail);
  return open !== undefined && at >= open.from && at <= open.until;
}
