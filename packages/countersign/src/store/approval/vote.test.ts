import { describe, expect, it } from "vitest";
import type { Approval, ApprovalTerms } from "../../approval/approval.js";
import type { SignedClaims } from "../../evidence/evidence-claims.js";
import { someApproval } from "../../testing/some-approval.js";
import { jsonRow, readAt, readPlus, trailEntry } from "../../testing/some-call-seen.js";
import {
  ada,
  approvedBy,
  ben,
  deciding,
  type SomeDecision,
  sealer,
  someVote,
  writtenOpen,
} from "../../testing/some-decision-seen.js";
import type { VoteRow } from "../call-seen.js";
import type { TrailEntry } from "../evidence/trail.js";
import { voteOf } from "../rows/read-approval.js";
import { provenVotes } from "./proven-votes.js";

const notify = ["slack:#finance"];
const voting = (terms: Partial<ApprovalTerms> = {}, parts: Partial<Approval> = {}) =>
  someApproval({ notify, ...parts }, { quorum: 2, ...terms });
const call = voting();
const { digest } = call;
const denied = { type: "deny" } as const;

/** Ada has assigned it to Ben. */
const assigned = voting(
  { delegable: true },
  { ...approvedBy("lead"), assigneeId: "ben", assignedBy: "ada", assignedRoles: ["lead"] },
);

const adasRow = { principalId: "ada", roles: ["lead"], votedAt: readAt };

/** A signed vote of Ben, and its entry of the log. */
async function signedVote(parts: Partial<SignedClaims["vote"]> = {}) {
  const { id: voteId = "vot_1", principalId = "ben" } = parts;
  const { token } = await sealer.seal("vote", {
    ...{
      id: "vot_1",
      tenantId: "acme",
      approvalId: "apr_1",
      digest,
      decision: "approve",
      principalId: "ben",
    },
    ...{ roles: ["support"], iat: 1_700_000_000 },
    ...parts,
  });
  const trail: TrailEntry[] = [{ ...trailEntry("approval.voted", { voteId }), actorId: principalId }];
  return { trail, votes: [someVote(principalId, { token })] };
}

/** Whether Ada's vote decides the call. */
async function decides(approval: Approval, seen: SomeDecision, input: object = {}, seals?: typeof sealer) {
  const { result } = await deciding(approval, input, seen, seals);
  return result.outcome === "decided";
}

describe("a vote that does not decide", () => {
  it.each<["approve" | "deny", ApprovalTerms, needed: number]>([
    ["approve", call.terms, 2],
    ["deny", { ...call.terms, denials: 3 }, 3],
  ])("to %s is written, with its entry, and the version of the call", async (type, terms, needed) => {
    const approval = voting(terms);
    const viewers = [{ principalId: "eve", displayName: "Eve", until: readPlus(1) }];
    const input = { type, reason: "fine", principal: { ...ada, authenticatedBy: "jwt", displayName: "Ada" } };
    const row = someVote("ada", { ...adasRow, type, reason: "fine" });
    const { result, changes } = await deciding(approval, input, { viewers, siblings: [{}] });
    expect(result).toEqual({
      outcome: "voted",
      approval: { ...approval, viewers, votes: [voteOf(row)] },
    });
    expect(changes).toEqual({
      ...writtenOpen,
      approvals: [{ id: "apr_1", version: "701", set: {} }],
      vote: { ...jsonRow(row), voted_at: readAt },
      names: [{ approvalId: "apr_1", tenantId: "acme", principalId: "ada", displayName: "Ada" }],
      audited: [
        {
          ...{ tenantId: "acme", approvalId: "apr_1", type: "approval.voted", notify, actorId: "ada" },
          data: { type, digest: approval.digest, roles: ["lead"], via: "jwt", votes: 1, needed },
        },
      ],
    });
  });

  it("changes nothing if the person has voted so before", async () => {
    const votes = [someVote("ada")];
    const viewers = [{ principalId: "eve", displayName: null, until: readPlus(1) }];
    const principal = { ...ada, displayName: "Ada" };
    expect(await deciding(call, { principal }, { votes, viewers })).toEqual({
      result: {
        outcome: "repeated",
        approval: { ...call, viewers, votes: votes.map(voteOf) },
        wakeUp: undefined,
      },
    });
  });

  it("replaces what the person has voted before, behind the votes of others", async () => {
    const votes = [someVote("ada", { token: "a.b.c" }), someVote("ben")];
    const { result, changes } = await deciding(voting({ denials: 2 }), denied, { votes });
    const row = someVote("ada", { ...adasRow, ...denied });
    expect(changes?.vote).toEqual({ ...jsonRow(row), voted_at: readAt });
    expect(result).toMatchObject({ outcome: "voted", approval: { votes: [votes[1], row].map(shown) } });
    expect(changes?.audited).toMatchObject([{ data: { type: "deny", votes: 1, needed: 2 } }]);
  });

  it("is no earlier than its announcement if the clock has gone back", async () => {
    const { changes } = await deciding(call, {}, { trail: [trailEntry("approval.announced", {}, 2_000)] });
    expect(changes?.vote).toMatchObject({ voted_at: readPlus(2_000) });
  });

  it("holds until the call expires", async () => {
    const { changes } = await deciding(voting({}, { expiresAt: readPlus(10_000) }));
    expect(changes?.validUntil).toEqual(readPlus(9_999));
  });

  it("is late if the call has expired, and is not written", async () => {
    const { result, changes } = await deciding(voting({}, { expiresAt: readAt }));
    expect([result.outcome, changes?.vote]).toEqual(["expired", undefined]);
  });
});

/** A vote as an approval has it. */
function shown(row: VoteRow | undefined) {
  return row && voteOf(row);
}

describe("a vote that decides", () => {
  it("is written as a vote and as the decision, and has no entry of its own", async () => {
    const votes = [someVote("ben")];
    const { result, changes } = await deciding(call, {}, { votes });
    const row = someVote("ada", adasRow);
    expect(result).toMatchObject({ outcome: "decided", wakeUp: { requestId: "req_1" } });
    expect(result).toMatchObject({ approval: { status: "approved", votes: [votes[0], row].map(shown) } });
    expect(changes?.vote).toEqual({ ...jsonRow(row), voted_at: readAt });
    expect(changes?.approvals).toMatchObject([{ set: { status: "approved", decidedBy: "ada" } }]);
    expect(changes?.audited).toMatchObject([{ type: "approval.approved", data: { roles: ["lead"] } }]);
    expect(changes?.audited[0]?.data).not.toHaveProperty("voteId");
  });

  it("may be one that the person had cast, if it is enough by now: it is cast anew", async () => {
    const votes = [someVote("ada"), someVote("ben")];
    const { result, changes } = await deciding(call, {}, { votes });
    const row = someVote("ada", adasRow);
    expect(result).toMatchObject({ outcome: "decided", approval: { votes: [votes[1], row].map(shown) } });
    expect(changes?.vote).toEqual({ ...jsonRow(row), voted_at: readAt });
    expect(changes?.approvals).toMatchObject([{ set: { status: "approved" } }]);
    expect(changes?.audited).toMatchObject([{ type: "approval.approved" }]);
  });

  it.each<[string, boolean, Partial<ApprovalTerms>, VoteRow[], object]>([
    ["one denial is enough by default", true, {}, [], denied],
    ["a denial is not, if two are needed", false, { denials: 2 }, [], denied],
    ["two denials are", true, { denials: 2 }, [someVote("ben", denied)], denied],
    ["one approval is enough if only denials are counted", true, { quorum: 1, denials: 2 }, [], {}],
    ["a denial does not count as an approval", false, {}, [someVote("ben", denied)], {}],
    ["an approval does not count as a denial", false, { denials: 2 }, [someVote("ben")], denied],
    ["three are needed", false, { quorum: 3 }, [someVote("ben")], {}],
    ["an id in other letters is the same person", false, {}, [someVote("ADA")], {}],
    ["a delegate counts as who delegated", false, {}, [someVote("ben", { onBehalfOf: "ada" })], {}],
    ["a delegate of somebody else counts", true, {}, [someVote("ben", { onBehalfOf: "eve" })], {}],
  ])("%s: %s", async (_, isDecisive, terms, votes, input) => {
    expect(await decides(voting(terms), { votes }, input)).toBe(isDecisive);
  });

  it.each<[boolean, string[], string[]]>([
    [false, ["lead"], []],
    [true, ["cfo"], []],
    [true, ["cfo", "lead"], []],
    // Who votes last is not the one who covers the role.
    [true, ["lead"], ["cfo"]],
    [false, ["support"], []],
  ])(
    "decides: %s, of different roles, if another person is %j, and Ada also %j",
    async (isDecisive, roles, also) => {
      const approval = voting({ distinctRoles: true }, approvedBy("lead", "cfo"));
      const principal = { ...ada, roles: ["lead", ...also] };
      expect(await decides(approval, { votes: [someVote("ben", { roles })] }, { principal })).toBe(
        isDecisive,
      );
    },
  );

  it("is held like any decision", async () => {
    const { changes } = await deciding(
      voting({ holdMs: 5_000 }),
      { holdMs: 5_000 },
      { votes: [someVote("ben")] },
    );
    expect(changes?.vote).toMatchObject({ principal_id: "ada" });
    expect(changes?.audited).toMatchObject([{ type: "approval.held" }]);
  });
});

describe("a delegate's vote", () => {
  it("names who delegated it, as whom it counts", async () => {
    const { result, changes } = await deciding(assigned, { principal: ben }, { votes: [someVote("ada")] });
    expect(result.outcome).toBe("voted");
    expect(changes?.vote).toMatchObject({ on_behalf_of: "ada", on_behalf_of_roles: ["lead"] });
    expect(changes?.audited).toMatchObject([{ data: { onBehalfOf: "ada", votes: 1 } }]);
  });
});

describe("a signed vote", () => {
  it("names its signature in the log, and says who votes how", async () => {
    const principal = { ...ada, authenticatedBy: "jwt" };
    const { changes } = await deciding(call, { principal }, {}, sealer);
    const voteId = changes?.audited[0]?.data?.voteId;
    expect(voteId).toMatch(/^vot_/);
    expect(changes).not.toHaveProperty("proofs");
    expect(await sealer.read("vote", String(changes?.vote?.token))).toEqual({
      ...{ ok: true, keyId: sealer.keyId },
      claims: {
        ...{ id: voteId, tenantId: "acme", approvalId: "apr_1", digest, decision: "approve" },
        ...{ principalId: "ada", roles: ["lead"], via: "jwt", iat: readAt.getTime() / 1000 },
      },
    });
  });

  it("is named by the decision that it makes, which has evidence of its own", async () => {
    const { changes } = await deciding(call, {}, await signedVote(), sealer);
    expect(changes?.audited).toHaveLength(1);
    const [made] = changes?.audited ?? [];
    expect(made?.type).toBe("approval.approved");
    expect(made?.data?.evidenceId).toBe(changes?.proofs?.[0]?.id);
    expect(await sealer.read("vote", String(changes?.vote?.token))).toMatchObject({
      claims: { id: made?.data?.voteId },
    });
  });

  it("is signed anew if it was cast before and is enough by now, so that both people's still count", async () => {
    const [bens, adas] = [await signedVote(), await signedVote({ id: "vot_2", principalId: "ada" })];
    const [trail, votes] = [
      [...bens.trail, ...adas.trail],
      [...adas.votes, ...bens.votes],
    ];
    const { result, changes } = await deciding(call, {}, { trail, votes }, sealer);
    expect(result.outcome).toBe("decided");
    const [made] = changes?.audited ?? [];
    const { voteId } = made?.data ?? {};
    expect([made?.type, voteId]).toEqual(["approval.approved", expect.stringMatching(/^vot_.{36}$/)]);
    const token = String(changes?.vote?.token);
    expect(await sealer.read("vote", token)).toMatchObject({ claims: { id: voteId, principalId: "ada" } });
    const rows = [...bens.votes, someVote("ada", { ...adasRow, token })];
    const later = [...trail, trailEntry("approval.approved", made?.data, 0)];
    const people = await provenVotes(call, "approve", rows, later, sealer);
    expect(people.map(({ id }) => id)).toEqual(["ben", "ada"]);
    // The one before does not count any more.
    expect(await provenVotes(call, "approve", adas.votes, later, sealer)).toEqual([]);
  });

  it.each<[string, boolean, () => Promise<SomeDecision>]>([
    ["is signed", true, signedVote],
    ["is not signed", false, async () => ({ votes: [someVote("ben")] })],
    ["the log does not have", false, async () => ({ votes: (await signedVote()).votes })],
    ["is about another call", false, () => signedVote({ digest: "d".repeat(64) })],
    [
      "was cast on behalf of the same person",
      false,
      () => signedVote({ onBehalfOf: { id: "ada", roles: [] } }),
    ],
    ["says something else than its row", false, () => signedVote({ decision: "deny" })],
  ])("counts another one that %s: %s", async (_, isDecisive, seen) => {
    expect(await decides(call, await seen(), {}, sealer)).toBe(isDecisive);
  });

  it("says on whose behalf it is cast, and when, also if the clock has gone back", async () => {
    const onBehalfOf = { id: "ada", roles: ["lead"] };
    const { token } = await sealer.seal("assignment", {
      ...{ id: "asg_1", tenantId: "acme", approvalId: "apr_1", digest: assigned.digest, iat: 1 },
      ...{ to: "ben", principalId: "ada", onBehalfOf },
    });
    const trail = [
      trailEntry("approval.announced", {}, 2_000),
      trailEntry("approval.assigned", { assignmentId: "asg_1" }),
    ];
    const approval = { ...assigned, assignmentToken: token };
    const { changes } = await deciding(approval, { principal: ben }, { trail }, sealer);
    expect(changes?.vote?.voted_at).toEqual(readPlus(2_000));
    expect(await sealer.read("vote", String(changes?.vote?.token))).toMatchObject({
      claims: { principalId: "ben", onBehalfOf, iat: readPlus(2_000).getTime() / 1000 },
    });
  });

  it("is not cast again, but an unsigned one is replaced", async () => {
    const again = await deciding(call, { principal: ben }, await signedVote(), sealer);
    expect([again.result.outcome, again.changes]).toEqual(["repeated", undefined]);
    const { result, changes } = await deciding(
      call,
      { principal: ben },
      { votes: [someVote("ben")] },
      sealer,
    );
    expect(result).toMatchObject({ outcome: "voted", approval: { votes: [{ votedAt: readAt }] } });
    expect(changes?.vote?.token).toEqual(expect.any(String));
  });
});
