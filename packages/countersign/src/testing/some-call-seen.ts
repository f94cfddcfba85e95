import type { Approval } from "../approval/approval.js";
import { argumentsHash, callHash } from "../approval/approval-digest.js";
import { nonDefaultTerms } from "../approval/default-terms.js";
import type { SignedClaims, SignedKind } from "../evidence/evidence-claims.js";
import type { EvidenceSigner } from "../evidence/evidence-signer.js";
import type { CallRow, CallSeen, GrantRow } from "../store/call-seen.js";
import { sealEvidence } from "../store/evidence/evidence.js";
import type { TrailEntry } from "../store/evidence/trail.js";

/** When {@link someCallSeen} was read. */
export const readAt = new Date("2026-01-02T03:10:00Z");

/** As long before or after {@link readAt}. */
export function readPlus(ms: number): Date {
  return new Date(readAt.getTime() + ms);
}

/** A call about which nothing is signed, as a verb reads it, with some parts replaced. */
export function someCallSeen(approval: Approval, parts: Partial<CallSeen> = {}): CallSeen {
  return {
    ...{ row: rowOf(approval), version: "700", now: readAt, settledAt: null, proof: undefined },
    ...{ trail: [], votes: [], stops: [], grant: undefined, undone: undefined },
    ...parts,
  };
}

/** An entry of the log about a call. @param at Milliseconds before or after {@link readAt}. */
export function trailEntry(type: string, data: TrailEntry["data"] = {}, at = -60_000): TrailEntry {
  return { type, actorId: "ada", at: readPlus(at).getTime(), data };
}

/**
 * What `to_json` says of a row in a session with this time zone. It ends fractions of seconds at their last digit.
 *
 * @param zone @default UTC
 */
export function jsonRow(row: object, zone = { offset: "+00:00", minutes: 0 }): Record<string, unknown> {
  const textOf = (time: Date) =>
    new Date(time.getTime() + zone.minutes * 60_000).toISOString().replace(/(\.?0+)?Z$/, zone.offset);
  const columns = Object.entries(row).map(([key, value]) => [
    key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value instanceof Date ? textOf(value) : value,
  ]);
  return JSON.parse(JSON.stringify(Object.fromEntries(columns)));
}

/** The row that holds an approval. Votes, viewers and snoozes are in other tables. */
export function rowOf(approval: Approval): CallRow {
  const {
    votes: _,
    viewers: __,
    snoozes: ___,
    approvers,
    edited,
    decision,
    held,
    resolution,
    ...rest
  } = approval;
  return {
    ...rest,
    terms: nonDefaultTerms(approval.terms),
    callHash: callHash(approval),
    argumentsHash: argumentsHash(approval),
    approverRoles: approvers.roles,
    approverIds: approvers.ids,
    editedInputJson: edited?.inputJson ?? null,
    editedDigest: edited?.digest ?? null,
    decisionType: decision?.type ?? null,
    decidedBy: decision?.decidedBy ?? null,
    decidedRoles: decision?.roles ?? null,
    decisionReason: decision?.reason ?? null,
    decidedAt: decision?.decidedAt ?? null,
    held,
    heldUntil: held?.until ?? null,
    grantAmount: null,
    resolutionOutcome: resolution?.outcome ?? null,
    resolvedBy: resolution?.resolvedBy ?? null,
    resolutionNote: resolution?.note ?? null,
    resolvedAt: resolution?.resolvedAt ?? null,
  };
}

/** A person's grant for any refund of the team, with some fields replaced. */
export function someGrant(parts: Partial<GrantRow> = {}): GrantRow {
  return {
    ...{ id: "grt_1", tenantId: "acme", scope: "team", scopeId: null, approvalId: "apr_0", rerun: false },
    ...{
      toolName: "issue_refund",
      toolVersion: "v1",
      inputHash: null,
      condition: null,
      authorSeesAll: false,
    },
    ...{ summary: "Refunds", grantedBy: "ada", grantedRoles: ["lead"], approverRoles: [], approverIds: [] },
    ...{ createdAt: readPlus(-3_600_000), expiresAt: readPlus(3_600_000), usesLeft: null, usesTaken: 1 },
    ...{ budget: null, spent: "0", revokedAt: null, revokedBy: null, token: null },
    ...parts,
  };
}

/** The signed evidence of an approval's decision, and the entries of the log about it. */
export async function someProof(
  approval: Approval,
  signer: EvidenceSigner,
  expiresAt: Date,
  heldUntil?: Date,
): Promise<Pick<CallSeen, "proof" | "trail">> {
  const { decision, grantId, responseJson } = approval;
  if (!decision?.decidedBy) throw new Error("nobody has decided");
  const { type, decidedBy: principalId, reason, decidedAt } = decision;
  const sealer = {
    ...signer,
    ttlMs: 0,
    seal: async <Kind extends SignedKind>(kind: Kind, claims: SignedClaims[Kind]) => ({
      claims,
      token: await signer.sign(kind, claims),
    }),
  };
  const proven = {
    ...{ type, principalId, roles: decision.roles ?? [], onBehalfOf: null, grantId, reason, responseJson },
    ...{ origin: "runtime-ui-confirm" as const, via: null, ...(heldUntil && { heldUntil }) },
  };
  const { row, entry } = await sealEvidence({ ...approval, decidedAt }, proven, sealer, expiresAt.getTime());
  return {
    proof: { row: { ...row, consumedAt: null }, version: "701" },
    trail: [
      trailEntry("approval.announced", {}, -120_000),
      trailEntry(grantId === null ? "approval.approved" : "approval.granted", { ...entry }),
    ],
  };
}
