import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { describe, expect, it } from "vitest";
import type { GrantBudget } from "../../approval/budget.js";
import { readAt, readPlus, type someGrant } from "../../testing/some-call-seen.js";
import { sealer } from "../../testing/some-decision-seen.js";
import {
  grantable,
  proposing,
  type SomeProposal,
  type SomeProposalSeen,
  type SomeProposedCall,
  signedCovering,
  someCovering,
} from "../../testing/some-proposal-seen.js";

type Row = Parameters<typeof someGrant>[0];

const call: SomeProposedCall = { terms: grantable };
const inputHash = hashCanonical({ orderId: "A-1001", amount: 80 });
const budget: GrantBudget = { amount: "amount", total: 100, each: null, unit: "EUR" };
const spending = (...amounts: number[]): SomeProposedCall[] =>
  amounts.map((amount, index) => ({ ...call, inputJson: JSON.stringify({ orderId: `A-${index}`, amount }) }));

/** The grants that approve the calls of a proposal; `null` for a call that asks people. */
async function used(parts: SomeProposal, seen: SomeProposalSeen, seals?: typeof sealer) {
  const { calls, changes } = await proposing({ calls: [call], ...parts }, seen, seals);
  return { by: calls.map(({ grant_id: by }) => by), calls, grants: changes?.grants, changes };
}

const byOne = async (row: Row, parts: SomeProposal = {}) =>
  (await used(parts, { grants: [someCovering(row)] })).by;

/** What is compared of a grant. */
const judged = (id: string) => ({ id, tenantId: "acme", approvalId: "apr_0" });

it("the first grant that covers a call approves it", async () => {
  const grants = [someCovering({ id: "grt_2" }), someCovering({ id: "grt_1", grantedBy: "ben" })];
  const { calls, grants: taken, changes } = await used({}, { grants });
  expect(calls).toMatchObject([
    {
      ...{ status: "approved", grant_id: "grt_2", grant_amount: null, decision_type: "approve" },
      ...{ decided_by: "ada", decided_roles: ["lead"], decision_reason: "Approved by a grant" },
    },
  ]);
  expect(taken).toEqual([{ ...judged("grt_2"), take: 1 }]);
  expect(changes?.audited).toMatchObject([
    { type: "approval.granted", actorId: "ada", data: { grantId: "grt_2" } },
  ]);
});

it("what is used is written in the order of the grants' ids, and not in that of their use", async () => {
  const grants = [someCovering({ id: "grt_2" }), someCovering({ id: "grt_1" })];
  const seen = { grants, facts: { grants: [["grt_2"], ["grt_1"], ["grt_2"]] } };
  const { by, grants: taken } = await used({ calls: [call, call, call] }, seen);
  expect(by).toEqual(["grt_2", "grt_1", "grt_2"]);
  expect(taken).toEqual([
    { ...judged("grt_1"), take: 1 },
    { ...judged("grt_2"), take: 2 },
  ]);
});

describe("the call of a proposal", () => {
  it.each<[string, Row]>([
    ["the team", {}],
    ["its thread", { scope: "thread", scopeId: "thr_1" }],
    ["its requester", { scope: "user", scopeId: "eve" }],
    ["its exact arguments", { inputHash }],
    ["its exact arguments once more", { inputHash, rerun: true }],
  ])("is approved by a grant for %s", async (_, row) => {
    expect(await byOne(row)).toEqual(["grt_1"]);
  });

  // The database has chosen the grant by its row, which somebody can change before and back after.
  it.each<[string, Row]>([
    ["of another tenant", { tenantId: "umbrella" }],
    ["for another tool", { toolName: "erase" }],
    ["for another version of the tool", { toolVersion: "v2" }],
    ["for another thread", { scope: "thread", scopeId: "thr_2" }],
    ["for another requester", { scope: "user", scopeId: "mallory" }],
    ["for other arguments", { inputHash: hashCanonical({ orderId: "A-1001", amount: 81 }) }],
    ["for other arguments once more", { inputHash: "other", rerun: true }],
    ["for any arguments once more", { rerun: true }],
    ["that has expired", { expiresAt: readAt }],
    ["that was revoked", { revokedAt: readPlus(-1) }],
    ["of which nothing is left", { usesLeft: 0 }],
  ])("is not approved by a grant %s", async (_, row) => {
    expect(await byOne(row)).toEqual([null]);
  });

  it.each<[string, SomeProposal]>([
    ["permits no grants of the team", { calls: [{ terms: { grantable: ["thread", "user"] } }] }],
    ["takes two people", { calls: [{ terms: { ...grantable, quorum: 2 } }] }],
    ["only people may decide", { calls: [{ ...call, verdict: "manual" }] }],
    ["names others", { calls: [{ ...call, approvers: { roles: ["finance"], ids: ["ben"] } }] }],
    [
      "her own may not be approved by her",
      { requesterId: "ada", calls: [{ terms: { ...grantable, requesterMayNotApprove: true } }] },
    ],
  ])("is not approved by Ada's grant for the team if its rule %s", async (_, parts) => {
    expect(await byOne({}, parts)).toEqual([null]);
  });

  it("without a thread is not approved by a grant for no thread", async () => {
    expect(await byOne({ scope: "thread", scopeId: null }, { threadId: null })).toEqual([null]);
  });

  it.each<[string, boolean, SomeProposal["meetsCondition"]]>([
    ["is met", true, () => true],
    ["is not met", false, () => false],
    ["nobody can evaluate", false, undefined],
  ])("is approved by a grant with a condition that %s: %s", async (_, approves, meetsCondition) => {
    const row = { condition: "input.amount < 100", authorSeesAll: true };
    expect(await byOne(row, { meetsCondition })).toEqual([approves ? "grt_1" : null]);
  });

  it("shows its condition what its author may see, and the place", async () => {
    const asked: unknown[] = [];
    const meetsCondition: SomeProposal["meetsCondition"] = (condition, { toolName, threadId }, seesAll) => {
      asked.push([condition, toolName, threadId, seesAll]);
      return true;
    };
    await byOne({ condition: "true", authorSeesAll: false }, { meetsCondition });
    expect(asked).toEqual([["true", "issue_refund", "thr_1", false]]);
  });

  it("is approved by the next grant if the first one does not cover it", async () => {
    const grants = [someCovering({ condition: "false" }), someCovering({ id: "grt_2" })];
    expect((await used({ meetsCondition: () => false }, { grants })).by).toEqual(["grt_2"]);
  });
});

describe("a grant with limited uses", () => {
  it("approves as many calls of one proposal as it has left", async () => {
    const { by, grants } = await used(
      { calls: [call, call, call] },
      { grants: [someCovering({ usesLeft: 2 })] },
    );
    expect(by).toEqual(["grt_1", "grt_1", null]);
    expect(grants).toEqual([{ ...judged("grt_1"), take: 2 }]);
  });

  it("is followed by the next one when nothing is left", async () => {
    const grants = [someCovering({ usesLeft: 1 }), someCovering({ id: "grt_2" })];
    const { by, grants: taken } = await used({ calls: [call, call, call] }, { grants });
    expect(by).toEqual(["grt_1", "grt_2", "grt_2"]);
    expect(taken).toEqual([
      { ...judged("grt_1"), take: 1 },
      { ...judged("grt_2"), take: 2 },
    ]);
  });

  it("approves no more than it has left by the log, whatever its row says", async () => {
    const renewed = await signedCovering(3, sealer, {}, { loggedUses: 1 });
    const { by, grants } = await used({ calls: [call, call, call] }, { grants: [renewed] }, sealer);
    expect(by).toEqual(["grt_1", "grt_1", null]);
    expect(grants).toEqual([{ ...judged("grt_1"), take: 2, uses: 3 }]);
  });

  it("approves none if nothing is left by the log", async () => {
    const renewed = await signedCovering(3, sealer, {}, { loggedUses: 3 });
    expect((await used({}, { grants: [renewed] }, sealer)).by).toEqual([null]);
  });

  it("approves none if its row has become unlimited, so that the log was not counted", async () => {
    const unlimited = await signedCovering(3, sealer, { usesLeft: null }, { loggedUses: null });
    expect((await used({}, { grants: [unlimited] }, sealer)).by).toEqual([null]);
  });

  it("is not counted by the log without a signer", async () => {
    const grants = [someCovering({ usesLeft: 1 }, { loggedUses: 99 })];
    expect((await used({}, { grants })).by).toEqual(["grt_1"]);
  });
});

describe("a signed grant", () => {
  it("approves any number of calls if that is what was signed", async () => {
    const { by, grants } = await used(
      { calls: [call, call] },
      { grants: [await signedCovering(null, sealer, {}, { loggedUses: 99 })] },
      sealer,
    );
    expect(by).toEqual(["grt_1", "grt_1"]);
    expect(grants).toEqual([{ ...judged("grt_1"), take: 2 }]);
  });

  it.each<[string, Row]>([
    ["has another scope", { scope: "team", scopeId: null }],
    ["has another grantor", { grantedBy: "mallory" }],
    ["has other roles", { grantedRoles: ["lead", "finance"] }],
    ["has other arguments", { inputHash: null }],
    ["expires later", { expiresAt: readPlus(7_200_000) }],
    ["has no signature", { token: null }],
    ["has another budget", { budget: { ...budget, total: 1e9 } }],
  ])("approves nothing if its row %s", async (_, changed) => {
    const given = await signedCovering(null, sealer, { scope: "thread", scopeId: "thr_1", inputHash });
    const grants = [{ ...given, row: { ...given.row, ...changed } }];
    expect((await used({}, { grants: [given] }, sealer)).by).toEqual(["grt_1"]);
    expect((await used({}, { grants }, sealer)).by).toEqual([null]);
  });

  it.each<[string, readonly string[]]>([
    ["does not have it", []],
    ["has its revocation", ["grant.created", "grant.revoked"]],
    ["only says that it was used", ["approval.granted"]],
  ])("approves nothing if the log %s", async (_, entries) => {
    const given = await signedCovering(null, sealer, {}, { entries });
    expect((await used({}, { grants: [given] }, sealer)).by).toEqual([null]);
  });

  it("for one call once more approves it only for whom it was given", async () => {
    const given = await signedCovering(
      null,
      sealer,
      { rerun: true, inputHash },
      { entries: ["approval.resolved"] },
    );
    const seen = { grants: [given] };
    const notGrantable = { calls: [{}] };
    expect((await used(notGrantable, seen, sealer)).by).toEqual(["grt_1"]);
    expect((await used({ ...notGrantable, requesterId: "mallory" }, seen, sealer)).by).toEqual([null]);
  });

  it("must not have expired when it is written what it has approved", async () => {
    const given = await signedCovering(null, sealer, { expiresAt: readPlus(5_000) });
    expect((await used({}, { grants: [given] }, sealer)).changes?.validUntil).toEqual(readPlus(4_999));
  });
});

describe("a grant with a budget", () => {
  const within = (used: string, parts: Partial<GrantBudget> = {}) => [
    someCovering({ budget: { ...budget, ...parts } }, { used }),
  ];

  it("approves calls up to exactly its total, one after the other", async () => {
    const { by, calls, grants, changes } = await used(
      { calls: spending(50, 60, 29.7, 0.2, 0.2) },
      { grants: within("20.1") },
    );
    expect(by).toEqual(["grt_1", null, "grt_1", "grt_1", null]);
    expect(calls.map(({ grant_amount: amount }) => amount)).toEqual(["50", null, "29.7", "0.2", null]);
    expect(calls[1]?.over_budget).toEqual({
      ...{ grantId: "grt_1", total: 100, used: 70.1, each: null, unit: "EUR", amount: 60 },
    });
    expect(calls[4]?.over_budget).toMatchObject({ used: 100, amount: 0.2 });
    expect(grants).toEqual([{ ...judged("grt_1"), take: 3, reserve: "79.9", total: "100", byLog: false }]);
    expect(changes?.audited[0]?.data).toMatchObject({ grantId: "grt_1", amount: 50 });
  });

  it("asks for a call above the maximum of one", async () => {
    const { by, calls } = await used({ calls: spending(10, 10.01) }, { grants: within("0", { each: 10 }) });
    expect(by).toEqual(["grt_1", null]);
    expect(calls[1]?.over_budget).toMatchObject({ each: 10, amount: 10.01, used: 10 });
  });

  it("does not approve a call without an amount, or with a hidden one, and does not say why", async () => {
    const hidden = { ...call, terms: { ...grantable, redact: ["amount"] } };
    const none = { ...call, inputJson: "{}" };
    const { calls } = await used({ calls: [hidden, none] }, { grants: within("0") });
    expect(calls).toMatchObject([
      { grant_id: null, over_budget: null },
      { grant_id: null, over_budget: null },
    ]);
  });

  it("is followed by the next grant, and if none covers the call, the first one's budget is told", async () => {
    const [small] = within("100");
    const [other] = [someCovering({ id: "grt_2", budget: { ...budget, total: 150 } }, { used: "70" })];
    const { by, calls } = await used(
      { calls: spending(80, 81) },
      { grants: small && other ? [small, other] : [] },
    );
    expect(by).toEqual(["grt_2", null]);
    expect(calls[0]?.over_budget).toBeNull();
    expect(calls[1]?.over_budget).toMatchObject({ grantId: "grt_1", used: 100 });
  });

  it("tells no budget of a grant of which nothing is left", async () => {
    const grants = [someCovering({ budget, usesLeft: 1 })];
    const { by, calls } = await used({ calls: spending(90, 90) }, { grants });
    expect(by).toEqual(["grt_1", null]);
    expect(calls[1]?.over_budget).toBeNull();
  });

  it("counts what the log says as well if it is signed", async () => {
    const given = await signedCovering(5, sealer, { budget }, { used: "99" });
    const { by, grants } = await used({ calls: spending(1, 1) }, { grants: [given] }, sealer);
    expect(by).toEqual(["grt_1", null]);
    expect(grants).toEqual([
      { ...judged("grt_1"), take: 1, uses: 5, reserve: "1", total: "100", byLog: true },
    ]);
  });

  it.each(["NaN", "Infinity"])("approves nothing if it has spent %s", async (spent) => {
    expect((await used({ calls: spending(1) }, { grants: within(spent) })).by).toEqual([null]);
  });
});
