import { describe, expect, it } from "vitest";
import type { Evidence } from "../../evidence/check-evidence.js";
import { createEvidenceSigner } from "../../evidence/evidence-signer.js";
import { someApproval } from "../../testing/some-approval.js";
import { readAt, readPlus, someCallSeen, someProof, trailEntry } from "../../testing/some-call-seen.js";
import type { CallSeen, VoteRow } from "../call-seen.js";
import type { TrailEntry } from "../evidence/trail.js";
import { basisFromEvidence, basisFromRows } from "./read-basis.js";

const signer = createEvidenceSigner("a-secret-of-at-least-thirty-two-bytes");
const decidedAt = readPlus(-60_000);
const at = decidedAt.getTime();
const ada = { id: "ada", roles: ["lead"], onBehalfOf: null, at };

const approved = {
  status: "approved" as const,
  decision: { type: "approve" as const, decidedBy: "ada", roles: ["lead"], reason: null, decidedAt },
};
const byOne = someApproval(approved);
const byTwo = someApproval(approved, { quorum: 2 });

const vote = (principalId: string, parts: Partial<VoteRow> = {}): VoteRow => ({
  ...{ approvalId: "apr_1", tenantId: "acme", principalId, type: "approve", roles: ["lead"], reason: null },
  ...{ onBehalfOf: null, onBehalfOfRoles: null, votedAt: decidedAt, token: null, takenBackAt: null },
  ...parts,
});

describe("the people by the rows", () => {
  const delegated = { assigneeId: "ada", assignedBy: "bo", assignedRoles: ["cfo"] };
  const forBo = { ...ada, onBehalfOf: { id: "bo", roles: ["cfo"] } };
  const rowsOf = (...[parts, terms]: Parameters<typeof someApproval>) =>
    someApproval({ ...approved, ...parts }, terms);

  it.each<[string, ReturnType<typeof someApproval>, VoteRow[], object[]]>([
    ["are whoever decided", byOne, [], [ada]],
    ["are a delegate", rowsOf({ ...delegated, approvers: { roles: ["cfo"], ids: [] } }), [], [forBo]],
    [
      "are an assignee in their own right",
      rowsOf({ ...delegated, approvers: { roles: ["lead"], ids: [] } }),
      [],
      [ada],
    ],
    [
      "are nobody if the policy decided",
      rowsOf({ decision: { ...approved.decision, decidedBy: null } }),
      [],
      [],
    ],
    [
      "are all who voted for it",
      byTwo,
      [
        vote("ada"),
        vote("bo", { type: "deny" }),
        vote("eve", { onBehalfOf: "bo", onBehalfOfRoles: ["cfo"] }),
      ],
      [ada, { ...forBo, id: "eve" }],
    ],
  ])("%s", (_, approval, votes, approvers) => {
    const result = basisFromRows(approval, someCallSeen(approval, { votes }));
    expect(result).toEqual({ ok: true, basis: { by: "people", approvers }, evidence: undefined });
  });
});

describe("the people by signed evidence", async () => {
  const proofs = await someProof(byOne, signer, readPlus(60_000));
  const [announced, logged] = proofs.trail;
  if (!announced || !logged) throw new Error("unreachable: the log has both");
  const seen = someCallSeen(byOne, proofs);
  const withRow = (row: Partial<Evidence>): CallSeen => ({
    ...seen,
    proof: proofs.proof && { ...proofs.proof, row: { ...proofs.proof.row, ...row } },
  });
  const withTrail = (...trail: TrailEntry[]): CallSeen => ({ ...seen, trail });
  const evidenceId = proofs.proof?.row.id;

  const other = createEvidenceSigner("another-secret-of-at-least-thirty-two-bytes");
  const ofOtherKey = someCallSeen(byOne, await someProof(byOne, other, readPlus(60_000)));
  const held = someCallSeen(byOne, await someProof(byOne, signer, readPlus(60_000), readPlus(-59_999)));
  const heldLessLong = await someProof(byOne, signer, readPlus(60_000), decidedAt);

  it("are whoever has signed", async () => {
    const basis = { by: "people", approvers: [ada] };
    expect(await basisFromEvidence(byOne, seen, signer)).toEqual({
      ok: true,
      basis,
      evidence: seen.proof?.row,
    });
    const late = someCallSeen(byOne, heldLessLong);
    expect(await basisFromEvidence(byOne, late, signer)).toMatchObject({ ok: true, basis });
  });

  it.each<[string, string, CallSeen, Partial<typeof byOne>?]>([
    ["there is none", "evidence", { ...seen, proof: undefined }],
    ["it is of somebody else by its row", "principalId", withRow({ principalId: "eve" })],
    ["it lasts longer by its row", "expiresAt", withRow({ expiresAt: readPlus(60_001) })],
    ["it was used", "consumedAt", withRow({ consumedAt: readAt })],
    ["it was not used, though the call runs", "consumedAt", seen, { status: "executing" }],
    ["it is for another call", "digest", seen, { digest: "a".repeat(64) }],
    ["the log does not have it", "log", withTrail(announced)],
    ["another process has the key by its row alone", "keyId", { ...ofOtherKey, trail: [announced] }],
    ["the log has it before it may take effect", "nbf", held],
    [
      "its person took it back",
      "log",
      withTrail(
        announced,
        logged,
        trailEntry("approval.held", { evidenceId }),
        trailEntry("approval.taken_back"),
      ),
    ],
    ["nobody was asked by then", "decidedAt", withTrail({ ...announced, at: at + 1 }, logged)],
    [
      "the time to decide was over",
      "decidedAt",
      withTrail({ ...announced, at: at - byOne.timeoutMs - 1 }, logged),
    ],
    ["nobody was asked at all", "decidedAt", withTrail(logged)],
  ])("are nobody if %s: %s", async (_, field, judged, parts) => {
    const result = await basisFromEvidence({ ...byOne, ...parts }, judged, signer);
    expect(result).toEqual({ ok: false, field });
  });

  it("are those with a signed vote that the log has", async () => {
    const signed = async (principalId: string, type: "approve" | "deny" = "approve") => {
      const claims = { tenantId: "acme", approvalId: "apr_1", digest: byTwo.digest, iat: at / 1000 };
      const person = { id: `vot_${principalId}`, principalId, roles: ["lead"], decision: type };
      return vote(principalId, { type, token: await signer.sign("vote", { ...claims, ...person }) });
    };
    const voted = (actorId: string) => ({
      ...trailEntry("approval.voted", { voteId: `vot_${actorId}` }),
      actorId,
    });
    const { proof, trail } = await someProof(byTwo, signer, readPlus(60_000));
    const votes = [await signed("ada"), await signed("bo"), await signed("eve", "deny"), vote("unsigned")];
    const all = [...trail, voted("ada"), voted("eve"), voted("unsigned")];
    const result = await basisFromEvidence(byTwo, someCallSeen(byTwo, { proof, trail: all, votes }), signer);
    expect(result).toMatchObject({ ok: true, basis: { by: "people", approvers: [ada] } });
    const more = await basisFromEvidence(
      byTwo,
      someCallSeen(byTwo, { proof, trail: [...all, voted("bo")], votes }),
      signer,
    );
    expect(more).toMatchObject({ ok: true, basis: { approvers: [ada, { ...ada, id: "bo" }] } });
  });
});
