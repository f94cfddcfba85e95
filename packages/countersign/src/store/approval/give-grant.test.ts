import { derivedId, hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { describe, expect, it } from "vitest";
import type { Approval, ApprovalTerms, Decision } from "../../approval/approval.js";
import type { NewGrant } from "../../approval/grant.js";
import { someApproval } from "../../testing/some-approval.js";
import { readAt, readPlus, someGrant } from "../../testing/some-call-seen.js";
import {
  ada,
  approvedBy,
  ben,
  deciding,
  type SomeDecision,
  sealer,
  someVote,
} from "../../testing/some-decision-seen.js";
import type { GrantRow } from "../call-seen.js";

const id = derivedId("grt", "apr_1");
const grantable: ApprovalTerms["grantable"] = ["team", "thread", "user"];
const call = someApproval({ threadId: "thr_1", requesterId: "eve", ...approvedBy("lead") }, { grantable });
const inputHash = hashCanonical(JSON.parse(call.inputJson));
const budget = { amount: "amount", total: 500, each: 100, unit: "EUR" };
const team: NewGrant = {
  ...{ scope: "team", inputHash: null, condition: null, authorSeesAll: false },
  ...{ lifetimeMs: 3_600_000, uses: null, budget: null },
};

const giving = (
  grant: Partial<NewGrant>,
  { approval = call, ...seen }: SomeDecision = {},
  principal = ada,
  seals?: typeof sealer,
) => deciding(approval, { principal, grant: { ...team, ...grant } }, seen, seals);

describe("the grant of a decision", () => {
  const row = {
    ...{ id, tenant_id: "acme", approval_id: "apr_1", scope: "team", scope_id: null, rerun: false },
    ...{ tool_name: "issue_refund", tool_version: "v1", input_hash: null, condition: null },
    ...{ author_sees_all: false, summary: "Refund 80 EUR for A-1001", granted_by: "ada" },
    ...{ granted_roles: ["lead"], approver_roles: ["lead"], approver_ids: [] },
    ...{ created_at: readAt, expires_at: readPlus(3_600_000), uses_left: null, uses_taken: 0 },
    ...{ budget: null, spent: "0", revoked_at: null, revoked_by: null, token: null },
  };

  it.each<[string, Partial<NewGrant>, inRow: object, data: object]>([
    ["for any call of the team", {}, {}, {}],
    ["for exactly this call", { inputHash }, { input_hash: inputHash }, { covers: "exact" }],
    [
      "for what meets a condition",
      { condition: "input.amount < 100", authorSeesAll: true },
      { condition: "input.amount < 100", author_sees_all: true },
      { covers: "condition" },
    ],
    ["for a thread", { scope: "thread" }, { scope: "thread", scope_id: "thr_1" }, { scope: "thread" }],
    ["for the requester", { scope: "user" }, { scope: "user", scope_id: "eve" }, { scope: "user" }],
    ["for three calls", { uses: 3 }, { uses_left: 3 }, { uses: 3 }],
    ["with a budget", { budget }, { budget }, { budget }],
  ])("is one %s", async (_, grant, inRow, data) => {
    const principal = { ...ada, authenticatedBy: "jwt" };
    const { result, changes } = await giving(grant, { liveGrants: 999 }, principal);
    expect(result.outcome).toBe("decided");
    expect(changes?.newGrant).toEqual({ row: { ...row, ...inRow }, limit: 1000 });
    expect(changes?.audited.map(({ type }) => type)).toEqual(["approval.approved", "grant.created"]);
    expect(changes?.audited[1]).toEqual({
      ...{ tenantId: "acme", approvalId: "apr_1", type: "grant.created", actorId: "ada" },
      data: {
        ...{ grantId: id, scope: "team", covers: "any", toolName: "issue_refund", toolVersion: "v1" },
        ...{ uses: null, roles: ["lead"], via: "jwt", expiresAt: readPlus(3_600_000).toISOString() },
        ...data,
      },
    });
  });

  it("is signed, with the times of its row", async () => {
    const { changes } = await giving({ budget, uses: 3 }, {}, ada, sealer);
    const [iat, exp] = [readAt.getTime() / 1000, readPlus(3_600_000).getTime() / 1000];
    expect(await sealer.read("grant", String(changes?.newGrant?.row.token))).toEqual({
      ...{ ok: true, keyId: sealer.keyId },
      claims: {
        ...{ id, tenantId: "acme", approvalId: "apr_1", scope: "team", scopeId: null, inputHash: null },
        ...{ toolName: "issue_refund", toolVersion: "v1", condition: null, authorSeesAll: false },
        ...{
          rerun: false,
          requesterId: null,
          uses: 3,
          budget,
          principalId: "ada",
          roles: ["lead"],
          iat,
          exp,
        },
      },
    });
  });

  it("is refused with the whole decision if there are too many", async () => {
    await expect(giving({}, { liveGrants: 1_000 })).rejects.toMatchObject({
      code: "grant_limit",
      detail: { limit: 1_000 },
    });
  });

  const having = (parts: Partial<Approval>, terms: Partial<ApprovalTerms> = {}): SomeDecision => ({
    approval: someApproval({ threadId: "thr_1", requesterId: "eve", ...parts }, { grantable, ...terms }),
  });
  const delegated = {
    ...{ ...approvedBy("lead"), assigneeId: "ben", assignedBy: "ada", assignedRoles: ["lead"] },
  };

  it.each<[string, Partial<NewGrant>, SomeDecision]>([
    ["is for other arguments", { inputHash: hashCanonical({}) }, {}],
    ["limits an amount that the call does not have", { budget: { ...budget, amount: "total" } }, {}],
    ["has a scope that the rule does not allow", {}, having({}, { grantable: ["thread"] })],
    ["is for a thread that the call does not have", { scope: "thread" }, having({ threadId: null })],
    ["is for a requester that the call does not have", { scope: "user" }, having({ requesterId: null })],
    ["is for a call that the policy did not ask about", {}, having({ verdict: "deny" })],
    ["is for what several people approve", {}, { ...having({}, { quorum: 2 }), votes: [someVote("eve")] }],
    ["is given by somebody whom the rule does not name", {}, having(delegated, { delegable: true })],
  ])("is not allowed if it %s", async (_, grant, seen) => {
    await expect(giving(grant, seen, ben.id === seen.approval?.assigneeId ? ben : ada)).rejects.toMatchObject(
      {
        code: "grant_not_allowed",
      },
    );
  });

  it("is given once the quorum of denials counts votes", async () => {
    const { changes } = await giving({}, having({}, { denials: 2 }));
    expect(changes?.newGrant?.row.id).toBe(id);
  });
});

describe("a decision that is repeated", () => {
  const decision: Decision = {
    type: "approve",
    decidedBy: "ada",
    roles: [],
    reason: null,
    decidedAt: readAt,
  };
  const approval = someApproval({ ...call, status: "approved", decision });
  const given = someGrant({
    ...{ id, createdAt: readPlus(-1_000), expiresAt: readPlus(3_599_000) },
    ...{ usesLeft: 2, usesTaken: 1, budget },
  });
  const same = { uses: 3, budget: { ...budget } };

  it.each<
    [string, "repeated" | "already_decided", Partial<NewGrant> | undefined, Partial<GrantRow> | undefined]
  >([
    ["the same grant", "repeated", same, {}],
    ["no grant, as before", "repeated", undefined, undefined],
    ["a grant without limits, as before", "repeated", {}, { usesLeft: null, usesTaken: 7, budget: null }],
    ["no grant, though another one names the call", "repeated", undefined, { id: "grt_other" }],
    ["a grant that it did not give", "already_decided", same, undefined],
    ["a grant, though only another one names the call", "already_decided", same, { id: "grt_other" }],
    ["no grant, though it gave one", "already_decided", undefined, {}],
    ["another scope", "already_decided", { ...same, scope: "thread" }, {}],
    ["other arguments", "already_decided", { ...same, inputHash }, {}],
    ["another condition", "already_decided", { ...same, condition: "true" }, {}],
    ["other uses", "already_decided", { ...same, uses: 2 }, {}],
    ["any number of uses", "already_decided", { ...same, uses: null }, {}],
    ["another budget", "already_decided", { ...same, budget: { ...budget, total: 501 } }, {}],
    ["no budget", "already_decided", { ...same, budget: null }, {}],
    ["another lifetime", "already_decided", { ...same, lifetimeMs: 3_600_001 }, {}],
  ])("with %s is %s", async (_, outcome, grant, row) => {
    const { result, changes } = await deciding(
      approval,
      grant && { grant: { ...team, ...grant } },
      row && { grants: [{ ...given, ...row }] },
    );
    expect([result.outcome, changes]).toEqual([outcome, undefined]);
  });
});
