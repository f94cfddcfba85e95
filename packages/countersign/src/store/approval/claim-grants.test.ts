import { describe, expect, it } from "vitest";
import type { GrantBudget } from "../../approval/budget.js";
import { createEvidenceSigner } from "../../evidence/evidence-signer.js";
import { someApproval } from "../../testing/some-approval.js";
import { readPlus, someCallSeen, someGrant, someProof, trailEntry } from "../../testing/some-call-seen.js";
import type { CallSeen, GrantRow, SeenGrant } from "../call-seen.js";
import { judgeClaim, type Starting } from "./claim.js";

const starting: Starting = {
  ...{ handlerKind: "once", check: () => undefined, reader: undefined, startedBy: "run_1" },
};
const signer = createEvidenceSigner("a-secret-of-at-least-thirty-two-bytes");

/** A call that the grant approved. Its refund is of 0.2. */
const decision = {
  type: "approve" as const,
  decidedBy: "ada",
  roles: ["lead"],
  reason: "Approved by a grant",
};
const granted = someApproval({
  ...{ status: "approved", grantId: "grt_1", inputJson: '{"amount":0.2}' },
  decision: { ...decision, decidedAt: readPlus(-60_000) },
});

const withGrant = (row: Partial<GrantRow> = {}, seen: Partial<SeenGrant> = {}): CallSeen =>
  someCallSeen(granted, { grant: { row: someGrant(row), spent: "0", entries: ["grant.created"], ...seen } });

/** What is compared of the grant. */
const judged = { id: "grt_1", tenantId: "acme", approvalId: "apr_0" };

const budget = { amount: "amount", total: 0.3, each: null, unit: "EUR" };

/** Why the call was withdrawn, or what it uses of its grant. */
async function outcome(seen: CallSeen, start = starting) {
  const { result, changes } = await judgeClaim(seen, start);
  if (result.outcome === "claimed") return changes?.grants;
  expect(result.outcome).toBe("refused");
  expect(changes?.grants).toBeUndefined();
  return changes?.audited.map(({ type, data = {} }) => ({ type, cause: data.cause, field: data.field }));
}

const withdrawn = (cause: string, field?: string) => [{ type: "approval.withdrawn", cause, field }];

describe("a call that a grant approved", () => {
  it("starts, provided that the grant is not revoked by then", async () => {
    expect(await outcome(withGrant())).toEqual([judged]);
  });

  it.each<[string, CallSeen]>([
    ["is revoked", withGrant({ revokedAt: readPlus(-1) })],
    ["is gone", someCallSeen(granted)],
  ])("is withdrawn if its grant %s", async (_, seen) => {
    expect(await outcome(seen)).toEqual(withdrawn("grant_revoked"));
  });

  it("is checked with the grant", async () => {
    const bases: unknown[] = [];
    await outcome(withGrant({ condition: "input.amount < 5", rerun: true }), {
      ...starting,
      check: (_, given) => void bases.push(given),
    });
    const condition = { text: "input.amount < 5", authorSeesAll: false };
    const grantor = { id: "ada", roles: ["lead"] };
    expect(bases).toEqual([{ by: "grant", scope: "team", rerun: true, grantor, condition }]);
  });
});

describe("a call that spends of a budget", () => {
  const spends = [{ ...judged, spend: "0.2", total: "0.3" }];
  const exhausted = withdrawn("budget_exhausted");

  it.each<[string, Partial<GrantBudget>, string, object[]]>([
    ["uses all that is left, which JavaScript's numbers would exceed", {}, "0.10", spends],
    ["is one cent too much", {}, "0.11", exhausted],
    ["is the smallest part too much", {}, "0.1000000000000000000001", exhausted],
    ["is as much as one call may be", { each: 0.2 }, "0", spends],
    ["is more than one call may be", { each: 0.19 }, "0", exhausted],
    ["is more than all calls may be", { total: 0.19 }, "-1", exhausted],
    ["has no such amount", { amount: "sum" }, "0", exhausted],
  ])("%s", async (_, parts, spent, expected) => {
    const seen = withGrant({ budget: { ...budget, ...parts } }, { spent });
    expect(await outcome(seen)).toEqual(expected);
  });

  it("spends nothing more when it continues after a crash", async () => {
    const executing = someApproval({ ...granted, status: "executing", startedBy: "run_1" });
    const { grant } = withGrant({ budget }, { spent: "0.3" });
    const seen = someCallSeen(executing, { grant, trail: [trailEntry("approval.executing")] });
    const { result, changes } = await judgeClaim(seen, starting);
    expect(result.outcome).toBe("already_started");
    expect(changes?.grants).toBeUndefined();
  });
});

describe("a call that a signed grant approved", () => {
  const unsigned = someGrant({ budget });
  const signing: Starting = { ...starting, reader: signer };

  async function signed(row: Partial<GrantRow> = {}, parts: Partial<SeenGrant> = {}): Promise<CallSeen> {
    const { id, tenantId, approvalId, scope, scopeId, toolName, toolVersion, inputHash, condition } =
      unsigned;
    const { authorSeesAll, rerun, grantedBy, grantedRoles, createdAt, expiresAt } = unsigned;
    const token = await signer.sign("grant", {
      ...{ id, tenantId, approvalId, scope, scopeId, toolName, toolVersion, inputHash, condition },
      ...{ authorSeesAll, rerun, budget, requesterId: null, uses: null, principalId: grantedBy },
      ...{ roles: grantedRoles, iat: createdAt.getTime() / 1000, exp: expiresAt.getTime() / 1000 },
    });
    const proofs = await someProof(granted, signer, readPlus(60_000));
    return { ...withGrant({ ...unsigned, token, ...row }, parts), ...proofs };
  }

  it("starts if the log has the grant", async () => {
    expect(await outcome(await signed(), signing)).toEqual([{ ...judged, spend: "0.2", total: "0.3" }]);
    const resolved = { entries: ["approval.granted", "approval.resolved"] };
    expect(await outcome(await signed({}, resolved), signing)).toHaveLength(1);
  });

  it.each<[string, Partial<GrantRow>, Partial<SeenGrant>]>([
    ["was revoked by the log", {}, { entries: ["grant.created", "grant.revoked"] }],
    ["is not in the log", {}, { entries: ["approval.granted"] }],
    ["has another budget than the signed one", { budget: { ...budget, total: 300 } }, {}],
    ["is not signed", { token: null }, {}],
  ])("is withdrawn if its grant %s", async (_, row, parts) => {
    expect(await outcome(await signed(row, parts), signing)).toEqual(withdrawn("evidence_invalid", "grant"));
  });
});
