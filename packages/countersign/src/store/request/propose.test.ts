import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { readAt, readPlus, rowOf } from "../../testing/some-call-seen.js";
import { sealer } from "../../testing/some-decision-seen.js";
import {
  grantable,
  proposing,
  type SomeProposedCall,
  signedCovering,
  someCovering,
  someLimits,
  someProposal,
} from "../../testing/some-proposal-seen.js";
import type { ProposalCounts } from "../ports/request-port.js";
import { nothingSeen } from "../proposal-seen.js";
import { guessProposal, judgeProposal, prepare } from "./propose.js";

const notified: SomeProposedCall = { verdict: "notify" };
const other: SomeProposedCall = { inputJson: "{}" };
const counting = (stands: boolean, seen: unknown[] = []): ProposalCounts => ({
  queries: [
    { counter: "calls", windowMs: 1000 },
    { counter: "spent", windowMs: 2000 },
  ],
  stand(counted) {
    seen.push(counted);
    return stands;
  },
});

describe("a new request", () => {
  it("is written with its calls, their entries, and what they rest on", async () => {
    const parts = { agentName: "support", modelText: "One moment", instanceId: "i_1", parentRunId: "run_0" };
    const { changes, prepared } = await proposing({ ...parts, calls: [{ notify: ["slack:#f"] }, notified] });
    const { toolName, digest, policyVersion } = prepared.calls[0]?.fields ?? {};
    expect(changes).toMatchObject({
      ...{ tenantId: "acme", judgedAt: readAt, validUntil: readPlus(30_000), turn: "acme", approvals: [] },
      proposal: {
        asked: prepared.asked,
        facts: nothingSeen(prepared.asked).facts,
        request: {
          row: {
            ...{ id: "req_1", tenant_id: "acme", thread_id: "thr_1", run_id: "run_1", app_id: "app" },
            ...{ instance_id: "i_1", parent_run_id: "run_0", model_text: "One moment", rounds: 0 },
          },
          ...{ now: ["created_at"], followed: 0 },
        },
      },
      audited: [
        {
          ...{ tenantId: "acme", approvalId: "apr_1", type: "approval.proposed", actorId: "eve" },
          notify: ["slack:#f"],
          data: { toolName, digest, policyVersion, agentName: "support" },
        },
        { approvalId: "apr_2", type: "approval.notified", notify: [] },
      ],
    });
    expect(changes).not.toHaveProperty("grants");
  });

  it("names no agent in the log if it has none", async () => {
    const { changes } = await proposing({ agentName: null });
    expect(Object.keys(changes?.audited[0]?.data ?? {})).toEqual(["toolName", "digest", "policyVersion"]);
  });

  it("takes the tenant's turn only if people are asked, or something is counted", async () => {
    const turnOf = async (...given: Parameters<typeof proposing>) =>
      (await proposing(...given)).changes?.turn;
    expect(await turnOf({ calls: [notified, { verdict: "deny" }] })).toBeUndefined();
    expect(await turnOf({ calls: [notified, { verdict: "manual" }] })).toBe("acme");
    expect(await turnOf({ calls: [{ ...notified, countedAs: [{ counter: "c", amount: 1 }] }] })).toBe("acme");
    expect(await turnOf({ calls: [notified], counts: counting(true) })).toBe("acme");
  });

  it("has the answer of what was written, at the time when it was", async () => {
    const calls = [{}, notified, { verdict: "deny", reason: "Never" }, {}] as const;
    const { result, written, prepared } = await proposing({ calls });
    expect(result).toMatchObject({ approvals: [], isKnown: false, end: null });
    const at = readPlus(7_000);
    const { approvals, isKnown } = written?.(at) ?? {};
    expect(isKnown).toBe(false);
    expect(approvals).toMatchObject([
      { id: "apr_1", status: "proposed", createdAt: readPlus(6_997), decision: null, finishedAt: null },
      {
        ...{ id: "apr_2", status: "approved", createdAt: readPlus(6_998) },
        decision: { type: "approve", decidedBy: null, reason: null, decidedAt: at },
      },
      {
        ...{ id: "apr_3", status: "denied", createdAt: readPlus(6_999) },
        decision: { type: "deny", decidedBy: null, reason: "Never", decidedAt: at },
      },
      {
        ...{ id: "apr_4", status: "withdrawn", createdAt: at, finishedAt: at, duplicateOf: "apr_1" },
        ...{ withdrawalCause: "duplicate_call", decision: null },
      },
    ]);
    expect(approvals?.map(({ digest }) => digest)).toEqual(prepared.calls.map(({ fields }) => fields.digest));
  });

  it("counts its calls, but for those that do not wait and will not run", async () => {
    const countedAs = [{ counter: "calls", amount: null }];
    const calls = [
      { countedAs },
      { countedAs },
      { ...notified, countedAs },
      { verdict: "deny", countedAs },
      other,
    ] as const;
    const { changes } = await proposing({ calls });
    const counted = changes?.proposal?.calls.map((call) => [call.counted, call.followed]);
    expect(counted).toEqual([
      [countedAs, 4],
      // The same as the first one.
      [[], 3],
      [countedAs, 2],
      [countedAs, 1],
      [[], 0],
    ]);
  });

  it("has no other nonces and digests when it is judged again", async () => {
    const prepared = prepare(someProposal({ calls: [{}, notified] }), { byLog: false });
    const judge = () => judgeProposal(nothingSeen(prepared.asked), prepared, undefined);
    const [one, again] = [await judge(), await judge()];
    expect(one.changes).toEqual(again.changes);
    expect(prepared.calls[0]?.fields.nonce).not.toBe(prepared.calls[1]?.fields.nonce);
  });
});

describe("the requester's name", () => {
  const nameOf = async (parts: Parameters<typeof proposing>[0]) => (await proposing(parts)).changes?.names;

  it("is recorded with each call, as it can be stored", async () => {
    const name = (approvalId: string) => ({
      ...{ approvalId, tenantId: "acme", principalId: "eve", displayName: "Eve�" },
    });
    const names = await nameOf({ requesterName: "Eve\0", calls: [{}, other] });
    expect(names).toEqual([name("apr_1"), name("apr_2")]);
  });

  it("is not, if it or its requester is not known", async () => {
    expect(await nameOf({})).toEqual([]);
    expect(await nameOf({ requesterName: "Eve", requesterId: null })).toEqual([]);
  });
});

describe("what an attempt of the same step did before", () => {
  const stored = [rowOf(someApproval({ id: "apr_7" })), rowOf(someApproval({ id: "apr_8" }))];
  // Neither is judged any more.
  const wrong = { counts: counting(false), calls: [{ ...notified, terms: { undoes: someUndo() } }] };
  function someUndo() {
    return { approvalId: "apr_0", outcomeHash: "", askedBy: "ada", reason: null, after: null };
  }

  it("stays as it is", async () => {
    for (const parts of [{}, wrong]) {
      const { result, changes } = await proposing(parts, {
        facts: { exists: true, isAllowed: true },
        stored,
      });
      expect(changes).toBeUndefined();
      expect(result).toMatchObject({
        approvals: [{ id: "apr_7" }, { id: "apr_8" }],
        isKnown: true,
        end: null,
      });
    }
  });

  it("is told with the end of its run", async () => {
    const { result } = await proposing({}, { facts: { exists: true, end: "run_failed" }, stored });
    expect(result).toMatchObject({ isKnown: true, end: "run_failed" });
  });

  it("was to run the calls without an approval, so none is asked for", async () => {
    for (const parts of [{}, wrong]) {
      const { result, changes } = await proposing(parts, { facts: { isAllowed: true } });
      expect({ result, changes }).toEqual({
        result: { approvals: [], isKnown: false, end: null },
        changes: undefined,
      });
    }
  });
});

describe("what was counted", () => {
  it("is asked for, and judged exactly as it was read", async () => {
    const seen: unknown[] = [];
    const { prepared, changes } = await proposing(
      { counts: counting(true, seen) },
      { counted: ["3", "0.3"] },
    );
    expect(prepared.asked.counts).toEqual([
      { counter: "calls", windowMs: 1000 },
      { counter: "spent", windowMs: 2000 },
    ]);
    expect(seen).toEqual([[3, 0.3]]);
    expect(changes).toBeDefined();
  });

  it("has the calls judged again if their verdicts do not stand, before an undo is refused", async () => {
    const undoes = { approvalId: "apr_0", outcomeHash: "", askedBy: "ada", reason: null, after: null };
    for (const terms of [{}, { undoes }]) {
      const judged = proposing({ counts: counting(false), calls: [{ terms }] }, { counted: ["3", "4"] });
      await expect(judged).rejects.toMatchObject({ name: "CountsChanged" });
    }
  });
});

describe("a call that a grant approves, with a signer,", () => {
  it("has evidence, and is as old as this", async () => {
    const calls = [{ terms: grantable }, { ...other, timeoutMs: 7_200_000 }, { verdict: "deny" as const }];
    const grants = [await signedCovering(null, sealer)];
    const facts = { grants: [["grt_1"], []] };
    const { changes, written, calls: rows } = await proposing({ calls }, { grants, facts }, sealer);
    const [proof] = changes?.proofs ?? [];
    expect(changes?.proofs).toHaveLength(1);
    expect(proof).toMatchObject({
      ...{ tenant_id: "acme", approval_id: "apr_1", decision: "approve", principal_id: "ada" },
      ...{ origin: "operator-contract-review", key_id: sealer.keyId, created_at: readAt },
      // The run waits for the last call.
      expires_at: readPlus(7_200_000 + sealer.ttlMs),
    });
    const read = await sealer.read("evidence", String(proof?.token));
    expect(read).toMatchObject({
      ok: true,
      claims: { approvalId: "apr_1", grantId: "grt_1", digest: rows[0]?.digest, roles: ["lead"] },
    });
    expect(changes?.audited.map(({ data }) => data?.evidenceId)).toEqual([proof?.id, undefined, undefined]);
    expect(changes?.audited[0]?.data).toMatchObject({
      ...{ keyId: sealer.keyId, proofUntil: readPlus(7_200_000 + sealer.ttlMs).toISOString() },
    });
    const at = readPlus(400);
    expect(written?.(at).approvals).toMatchObject([
      { createdAt: readPlus(-2), decision: { decidedAt: readAt } },
      { createdAt: readPlus(-1), decision: null },
      // Decided by the policy, when it is written.
      { createdAt: readAt, decision: { decidedAt: at } },
    ]);
  });

  it("has none without a signer", async () => {
    const { changes, written } = await proposing(
      { calls: [{ terms: grantable }] },
      { grants: [someCovering()] },
    );
    expect(changes?.proofs).toEqual([]);
    const at = readPlus(400);
    expect(written?.(at).approvals).toMatchObject([{ createdAt: at, decision: { decidedAt: at } }]);
  });
});

describe("a guess", () => {
  const guessing = (parts: Parameters<typeof someProposal>[0], byLog = false) => {
    const prepared = prepare(someProposal(parts), { byLog });
    return { prepared, guess: guessProposal(prepared) };
  };

  it("is that nothing is there that would matter, which the database compares", async () => {
    const limits = someLimits({ pendingPerRun: 1 });
    const { prepared, guess } = guessing({ calls: [{}, other, notified], limits });
    const { changes, written } = (await guess) ?? {};
    expect(changes?.proposal).toMatchObject({
      facts: {
        ...{ exists: false, end: null, isAllowed: false, isDiscouraged: false },
        ...{ twins: [null, null], grants: [[], []] },
      },
      room: { run: 0, thread: 98, requester: 98, tenant: 98 },
      calls: [
        { row: { status: "proposed" } },
        { row: { status: "withdrawn", withdrawal_cause: "too_many_pending" } },
        { row: { status: "approved" } },
      ],
    });
    // It rests on no time, so none is compared.
    expect(changes).not.toHaveProperty("judgedAt");
    expect(changes).not.toHaveProperty("validUntil");
    expect(changes).toMatchObject({ turn: "acme", approvals: [], proofs: [] });
    expect(written?.(readAt).approvals.map(({ createdAt }) => createdAt)).toEqual([
      ...[readPlus(-2), readPlus(-1), readAt],
    ]);
    expect((await judgeProposal(nothingSeen(prepared.asked), prepared, undefined)).changes).toEqual(changes);
  });

  it("is the same with a signer: it approves nothing that would have to be signed", async () => {
    const { changes } = (await guessing({ calls: [{ terms: grantable }] }, true).guess) ?? {};
    expect(changes?.proposal).toMatchObject({
      asked: { byLog: true },
      calls: [{ row: { status: "proposed" } }],
    });
    expect(changes?.proofs).toEqual([]);
  });

  it("is not made of an undo, whose call must be read", async () => {
    const undoes = { approvalId: "apr_0", outcomeHash: "", askedBy: "ada", reason: null, after: null };
    expect(await guessing({ calls: [{ terms: { undoes } }] }).guess).toBeUndefined();
  });
});

describe("what is asked of the database", () => {
  const askedOf = (parts: Parameters<typeof someProposal>[0]) =>
    prepare(someProposal(parts), { byLog: true }).asked;

  it("is about the calls of which people are asked", () => {
    const asked = askedOf({ calls: [notified, { terms: grantable }, { ...other, verdict: "manual" }] });
    expect(asked).toMatchObject({
      ...{ requestId: "req_1", tenantId: "acme", threadId: "thr_1", runId: "run_1", requesterId: "eve" },
      ...{ isProgram: false, byLog: true, denialsInARow: null, memoryMs: 3_600_000 },
      calls: [
        {
          id: "apr_2",
          grant: {
            ...{ toolName: "issue_refund", toolVersion: "v1", threadId: "thr_1", userId: "eve" },
            grantable: ["thread", "user", "team"],
          },
        },
        { id: "apr_3", grant: null },
      ],
    });
  });

  it("includes the limits only if people are asked", () => {
    const limits = someLimits({ denialsInARow: 3 });
    expect(askedOf({ limits }).denialsInARow).toBe(3);
    expect(askedOf({ limits, calls: [notified] }).denialsInARow).toBeNull();
  });
});
