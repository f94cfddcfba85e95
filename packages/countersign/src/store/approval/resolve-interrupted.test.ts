import { derivedId, hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { describe, expect, it } from "vitest";
import type { Approval, ApprovalTerms, Decision, Resolution } from "../../approval/approval.js";
import { approvalDigest } from "../../approval/approval-digest.js";
import { createEvidenceSigner } from "../../evidence/evidence-signer.js";
import { someApproval } from "../../testing/some-approval.js";
import {
  readAt,
  readPlus,
  rowOf,
  someCallSeen,
  someProof,
  trailEntry,
} from "../../testing/some-call-seen.js";
import { ada, approvedBy, ben, sealer, someVote } from "../../testing/some-decision-seen.js";
import type { CallSeen } from "../call-seen.js";
import { validUntil } from "../changes.js";
import type { Sealer } from "../evidence/sealing.js";
import type { ResolveInput } from "../ports/approval-port.js";
import { voteOf } from "../rows/read-approval.js";
import { judgeResolution } from "./resolve-interrupted.js";

const notify = ["slack:#finance"];
const day = 86_400_000;
const signer = createEvidenceSigner("a-secret-of-at-least-thirty-two-bytes");
const decision: Decision = {
  ...{ type: "approve", decidedBy: "ada", roles: ["lead"], reason: null },
  decidedAt: readPlus(-60_000),
};
const resolved: Resolution = { outcome: "done", resolvedBy: "ada", note: "seen", resolvedAt: readPlus(-1) };

const someCall = (parts: Partial<Approval> = {}, terms: Partial<ApprovalTerms> = {}) =>
  someApproval(
    {
      ...{ notify, status: "interrupted", handlerKind: "idempotent", decision, ...approvedBy("lead") },
      ...{ threadId: "thr_1", requesterId: "eve", finishedAt: readPlus(-30_000), ...parts },
    },
    terms,
  );
const resolving = (
  input: Partial<ResolveInput> = {},
  approval = someCall(),
  seen: Partial<CallSeen> = {},
  seals?: Sealer,
) =>
  judgeResolution(
    someCallSeen(approval, seen),
    { approvalId: "apr_1", principal: ada, outcome: "done", note: null, ...input },
    seals,
  );
const rerun = (approval = someCall(), seen: Partial<CallSeen> = {}, seals?: Sealer) =>
  resolving({ outcome: "rerun" }, approval, seen, seals);
const entry = (data: object) => ({
  ...{ tenantId: "acme", approvalId: "apr_1", type: "approval.resolved", notify, actorId: "ada", data },
});
const written = { tenantId: "acme", judgedAt: readAt, validUntil: validUntil(readAt) };

describe("a resolution", () => {
  it.each(["done", "failed"] as const)("that the call is %s is written with its entry", async (outcome) => {
    const principal = { ...ada, authenticatedBy: "jwt" };
    const votes = [someVote("ada"), someVote("ben")];
    const set = {
      ...{ resolutionOutcome: outcome, resolvedBy: "ada", resolutionNote: "seen", resolvedAt: readAt },
    };
    expect(await resolving({ outcome, principal, note: "seen" }, someCall(), { votes }, sealer)).toEqual({
      result: {
        outcome: "resolved",
        approval: {
          ...someCall({ votes: votes.map(voteOf) }),
          resolution: { outcome, resolvedBy: "ada", note: "seen", resolvedAt: readAt },
        },
      },
      changes: {
        ...written,
        approvals: [{ id: "apr_1", version: "700", set }],
        audited: [entry({ outcome, roles: ["lead"], via: "jwt" })],
      },
    });
  });

  it.each<[string, Partial<ResolveInput>, outcome: string]>([
    ["the same person, words and outcome", { note: "seen" }, "repeated"],
    ["another note", { note: null }, "already_resolved"],
    ["another outcome", { note: "seen", outcome: "failed" }, "already_resolved"],
    ["a rerun", { note: "seen", outcome: "rerun" }, "already_resolved"],
    ["another person", { note: "seen", principal: { ...ada, id: "ann" } }, "already_resolved"],
  ])("is the only one; a later one: %s", async (_, input, outcome) => {
    const approval = someCall({ resolution: resolved, handlerKind: "once" });
    expect(await resolving(input, approval)).toEqual({ result: { outcome, approval } });
  });

  it("is there though the row does not say whose it is", async () => {
    const row = { ...rowOf(someCall()), resolutionOutcome: "done" as const };
    expect(await resolving({}, someCall(), { row })).toEqual({
      result: { outcome: "already_resolved", approval: someCall() },
    });
  });

  it("is refused in this order: who sees it, who decides, and whether it was interrupted", async () => {
    const running = someCall({ status: "executing", requesterId: "ben" });
    expect(await resolving({ principal: { ...ben, id: "cid" } }, running)).toEqual({
      result: { outcome: "not_found" },
    });
    expect(await resolving({ principal: ben }, running)).toEqual({
      result: { outcome: "forbidden", approval: running },
    });
    const { result, changes } = await resolving({}, { ...running, resolution: resolved });
    expect([result.outcome, changes]).toEqual(["not_interrupted", undefined]);
    const input = { approvalId: "apr_9", principal: ada, outcome: "done", note: null } as const;
    expect(await judgeResolution(undefined, input, undefined)).toEqual({ result: { outcome: "not_found" } });
  });
});

describe("the resolution of an undo", () => {
  const undoes = { approvalId: "apr_0", outcomeHash: "c", askedBy: "eve", reason: null, after: null };
  const undo = someCall({}, { undoes });
  const call = someApproval({ id: "apr_0", status: "executed", undoId: "apr_1", notify: ["email"] });
  const resolvedWith = async (outcome: Resolution["outcome"], row: object = {}) => {
    const undone = { row: { ...rowOf(call), ...row }, version: "800", trail: [], undos: [] };
    return (await resolving({ outcome }, undo, { undone })).changes;
  };

  it("that has happened marks the call that it undoes, by whoever found that out", async () => {
    const changes = await resolvedWith("done");
    expect(changes?.approvals).toMatchObject([
      { id: "apr_1", version: "700" },
      { id: "apr_0", version: "800", set: { undoneAt: readAt } },
    ]);
    expect(changes?.audited).toEqual([
      {
        ...{ tenantId: "acme", approvalId: "apr_0", type: "call.undone", notify: ["email"] },
        ...{ actorId: "ada", data: { undoId: "apr_1" } },
      },
      entry({ outcome: "done", roles: ["lead"] }),
    ]);
  });

  it("marks nothing if it has not, or if another one has", async () => {
    const marked = [
      await resolvedWith("failed"),
      await resolvedWith("done", { undoId: "apr_2" }),
      await resolvedWith("done", { undoneAt: readPlus(-1) }),
    ];
    for (const changes of marked) {
      expect(changes?.approvals).toHaveLength(1);
      expect(changes?.audited).toMatchObject([{ type: "approval.resolved" }]);
    }
  });
});

describe("a rerun", () => {
  const id = derivedId("grn", "rerun", "apr_1");
  const row = {
    ...{ id, tenant_id: "acme", approval_id: "apr_1", scope: "thread", scope_id: "thr_1", rerun: true },
    ...{ tool_name: "issue_refund", tool_version: "v1", condition: null, author_sees_all: false },
    ...{ input_hash: hashCanonical(JSON.parse(someCall().inputJson)), granted_by: "ada" },
    ...{ created_at: readAt, expires_at: readPlus(day), uses_left: 1, budget: null, token: null },
  };

  it("is one of exactly this call, by a grant that counts against no limit", async () => {
    const { result, changes } = await rerun();
    expect(result).toMatchObject({ outcome: "resolved", approval: { resolution: { outcome: "rerun" } } });
    expect(changes?.newGrant).toEqual({ row: expect.objectContaining(row) });
    expect(changes?.audited).toEqual([entry({ outcome: "rerun", grantId: id, roles: ["lead"] })]);
  });

  it("is one of the changed arguments, and for its requester if it has no thread", async () => {
    const edited = { inputJson: '{"amount":8}', digest: "e" };
    const { changes } = await rerun(someCall({ edited, threadId: null }));
    const inputHash = hashCanonical({ amount: 8 });
    expect(changes?.newGrant?.row).toMatchObject({ input_hash: inputHash, scope: "user", scope_id: "eve" });
  });

  const own = { requesterId: "ada" };
  const toOthers = { requesterMayNotApprove: true };
  const undoes = { approvalId: "apr_0", outcomeHash: "c", askedBy: "eve", reason: null, after: null };
  it.each<[string, Approval, outcome: string]>([
    ["may have had effects", someCall({ ...own, handlerKind: "once" }, toOthers), "no_rerun"],
    ["several people approved", someCall({}, { quorum: 2 }), "no_rerun"],
    ["undoes another", someCall({}, { undoes }), "no_rerun"],
    ["belongs to nobody", someCall({ threadId: null, requesterId: null }), "no_rerun"],
    ["others must approve", someCall(own, toOthers), "self_approval"],
  ])("is refused of a call that %s", async (_, approval, outcome) => {
    expect(await rerun(approval)).toEqual({ result: { outcome, approval } });
    expect((await resolving({ outcome: "failed" }, approval)).result.outcome).toBe("resolved");
  });
});

describe("a signed rerun", () => {
  const ran = [trailEntry("approval.executing"), trailEntry("approval.interrupted")];
  const proven = async (approval = someCall(), heldUntil?: Date) => {
    const { proof, trail = [] } = await someProof(approval, signer, readPlus(-1_000), heldUntil);
    if (!proof) throw new Error("unreachable");
    return { proof, trail: [...trail, ...ran], id: proof.row.id };
  };

  it("needs the proof that somebody approved the call, which may be over, and compares it", async () => {
    const { proof, trail } = await proven();
    const { result, changes } = await rerun(someCall(), { proof, trail }, sealer);
    expect(result.outcome).toBe("resolved");
    expect(changes?.evidence).toEqual([{ id: proof.row.id, version: "701" }]);
    const { row = {} } = changes?.newGrant ?? {};
    expect(await sealer.read("grant", String(row.token))).toMatchObject({
      claims: { rerun: true, requesterId: "eve", principalId: "ada", uses: 1 },
    });
    expect((await rerun(someCall(), { proof, trail: ran }, sealer)).result.outcome).toBe("resolved");
    expect((await rerun(someCall(), { proof })).changes?.evidence).toBeUndefined();
  });

  it("is refused of a call that may have had effects by the log, whatever its row says", async () => {
    const { proof, trail } = await proven();
    const startedAs = (handlerKind: string) => [
      trailEntry("approval.executing", { handlerKind }),
      ...trail.filter(({ type }) => type !== "approval.executing"),
    ];
    const outcome = async (handlerKind: string) =>
      (await rerun(someCall(), { proof, trail: startedAs(handlerKind) }, sealer)).result.outcome;
    expect(await outcome("once")).toBe("no_rerun");
    expect(await outcome("idempotent")).toBe("resolved");
  });

  it("may be one of an edited call", async () => {
    const inputJson = '{"orderId":"A-1001","amount":8}';
    const edited = { inputJson, digest: approvalDigest({ ...someCall(), inputJson }) };
    const approval = someCall({ edited, decision: { ...decision, type: "edit" } });
    expect((await rerun(approval, await proven(approval), sealer)).result.outcome).toBe("resolved");
  });

  it.each<[string, (seen: Awaited<ReturnType<typeof proven>>) => [Partial<CallSeen>, Approval?]]>([
    ["there is no proof", () => [{ trail: ran }]],
    [
      "the proof is of another decision",
      ({ proof, trail }) => [{ proof, trail }, someCall({ decision: null })],
    ],
    ["the log does not say that it started", ({ proof }) => [{ proof, trail: ran.slice(1) }]],
    [
      "by the log it ran to its end",
      ({ proof, trail }) => [{ proof, trail: [...trail, trailEntry("approval.executed")] }],
    ],
    [
      "by the log it was withdrawn before",
      ({ proof, trail }) => [{ proof, trail: [trailEntry("approval.withdrawn"), ...trail] }],
    ],
    [
      "by the log somebody has found out what became of it",
      ({ proof, trail }) => [{ proof, trail: [...trail, trailEntry("approval.resolved")] }],
    ],
    [
      "the row is another call",
      ({ proof, trail }) => [
        { proof, trail },
        { ...someCall(), inputJson: '{"orderId":"A-1001","amount":9000}' },
      ],
    ],
    [
      "the arguments are others than those that were approved",
      ({ proof, trail }) => [{ proof, trail }, someCall({ edited: { inputJson: "{}", digest: "e" } })],
    ],
    [
      "it proves a decision that was taken back",
      ({ proof, id }) => [
        {
          proof,
          trail: [
            trailEntry("approval.held", { evidenceId: id, until: readPlus(-40_000).toISOString() }),
            trailEntry("approval.taken_back"),
            trailEntry("approval.approved", { evidenceId: id }, -30_000),
            ...ran,
          ],
        },
      ],
    ],
  ])("is refused if %s", async (_, change) => {
    const [seen, approval = someCall()] = change(await proven());
    expect(await rerun(approval, seen, sealer)).toEqual({ result: { outcome: "no_rerun", approval } });
    expect((await resolving({}, approval, seen, sealer)).result.outcome).toBe("resolved");
  });

  it("is refused if the decision was held, and by the log took effect too early, or not at all", async () => {
    const until = readPlus(-20_000);
    const { proof, id } = await proven(someCall(), until);
    const held = (at = until, evidenceId = id) =>
      trailEntry("approval.held", { evidenceId, until: at.toISOString() }, -50_000);
    const effect = (ms: number, evidenceId = id) => trailEntry("approval.approved", { evidenceId }, ms);
    const outcomeOf = async (...trail: CallSeen["trail"][number][]) =>
      (await rerun(someCall(), { proof, trail: [...trail, ...ran] }, sealer)).result.outcome;
    expect(await outcomeOf(held(), effect(-20_000))).toBe("resolved");
    expect(await outcomeOf(held(), effect(-20_001))).toBe("no_rerun");
    expect(await outcomeOf(held())).toBe("no_rerun");
    expect(await outcomeOf(effect(-20_000), held())).toBe("no_rerun");
    // Somebody who can write entries has added some about other evidence.
    expect(await outcomeOf(held(), held(readPlus(-49_000), "evd_9"), effect(-20_000, "evd_9"))).toBe(
      "no_rerun",
    );
    expect(await outcomeOf(held(), held(readPlus(-49_000)), effect(-40_000))).toBe("no_rerun");
  });
});
