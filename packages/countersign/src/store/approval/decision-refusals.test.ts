import { describe, expect, it } from "vitest";
import type { Approval, ApprovalTerms, Decision } from "../../approval/approval.js";
import { engagedStop } from "../../testing/engaged-stop.js";
import { someApproval } from "../../testing/some-approval.js";
import type { DecideInput } from "../ports/approval-port.js";
import { type DecisionToCheck, decisionRefusals, refuseDecision } from "./decision-refusals.js";

/** A call and a decision about it, to which every refusal applies that can apply at once. */
interface Situation {
  parts: Partial<Omit<Approval, "terms">>;
  terms: Partial<ApprovalTerms>;
  input: Partial<DecideInput>;
  isStopped: boolean;
}

const worst: Situation = {
  parts: {
    status: "proposed",
    requesterId: "ada",
    approvers: { roles: ["lead"], ids: [] },
    digest: "changed",
  },
  terms: { requesterMayNotApprove: true, decideIn: ["slack"], decisions: ["deny"] },
  input: { digest: "shown", repeatsOnly: true },
  isStopped: true,
};

function check({ parts, terms, input, isStopped }: Situation): DecisionToCheck {
  const approval = someApproval(parts, terms);
  return {
    approval,
    input: {
      approvalId: approval.id,
      principal: { id: "ada", tenantId: "acme", roles: [] },
      type: "approve",
      digest: approval.digest,
      reason: null,
      ...input,
    },
    stop: isStopped ? engagedStop : undefined,
    gaveSameGrant: true,
  };
}

/** What is wrong is put right one after another, in the order of the list; each time the next refusal is the answer. */
const cures: [outcome: string, cure: (situation: Situation) => Situation][] = [
  [
    "forbidden",
    ({ parts, ...rest }) => ({ ...rest, parts: { ...parts, approvers: { roles: [], ids: [] } } }),
  ],
  ["not_open", ({ parts, ...rest }) => ({ ...rest, parts: { ...parts, status: "expired" } })],
  ["expired", ({ parts, ...rest }) => ({ ...rest, parts: { ...parts, status: "withdrawn" } })],
  ["withdrawn", ({ parts, ...rest }) => ({ ...rest, parts: { ...parts, status: "pending" } })],
  ["wrong_place", ({ terms, ...rest }) => ({ ...rest, terms: { ...terms, decideIn: ["inbox"] } })],
  ["stopped", (situation) => ({ ...situation, isStopped: false })],
  ["digest_changed", ({ parts: { digest: _, ...parts }, ...rest }) => ({ ...rest, parts })],
  ["digest_mismatch", ({ input: { digest: _, ...input }, ...rest }) => ({ ...rest, input })],
  ["decision_not_allowed", ({ terms: { decisions: _, ...terms }, ...rest }) => ({ ...rest, terms })],
  [
    "self_approval",
    ({ terms, ...rest }) => ({ ...rest, terms: { ...terms, requesterMayNotApprove: false } }),
  ],
  ["not_open", ({ input: { repeatsOnly: _, ...input }, ...rest }) => ({ ...rest, input })],
];

describe("a decision that several refusals meet", () => {
  it("gets the first of the list, one after another", () => {
    let situation = worst;
    for (const [outcome, cure] of cures) {
      expect(refuseDecision(check(situation))?.outcome).toBe(outcome);
      situation = cure(situation);
    }
    expect(refuseDecision(check(situation))).toBeUndefined();
    expect(cures).toHaveLength(decisionRefusals.length);
  });

  it("is only repeated if it is the one that was recorded", () => {
    const decision: Decision = {
      type: "approve",
      decidedBy: "ada",
      roles: [],
      reason: null,
      decidedAt: new Date(0),
    };
    const decided: Situation = { ...worst, parts: { status: "executed", decision }, input: {}, terms: {} };
    expect(refuseDecision(check(decided))?.outcome).toBe("repeated");
    const other = { ...decided, input: { reason: "Another" } };
    expect(refuseDecision(check(other))?.outcome).toBe("already_decided");
    const otherGrant = { ...check(decided), gaveSameGrant: false };
    expect(refuseDecision(otherGrant)?.outcome).toBe("already_decided");
  });

  it("may be a denial by the requester, also under a stop", () => {
    const parts = { requesterId: "ada" };
    const deny: Situation = {
      ...worst,
      parts,
      terms: { requesterMayNotApprove: true },
      input: { type: "deny" },
    };
    expect(refuseDecision(check(deny))).toBeUndefined();
    expect(refuseDecision(check({ ...deny, input: { type: "approve" } }))?.outcome).toBe("stopped");
  });
});
