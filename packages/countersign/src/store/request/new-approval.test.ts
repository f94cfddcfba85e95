import { describe, expect, it } from "vitest";
import { approvalDigest } from "../../approval/approval-digest.js";
import { defaultTerms } from "../../approval/default-terms.js";
import { newApproval } from "./new-approval.js";

const proposer = {
  ...{ requestId: "req", tenantId: "acme", threadId: null, runId: null, agentName: null, requesterId: null },
};
const call = {
  ...{ id: "apr", position: 0, toolCallId: "call", toolName: "refund", toolVersion: "1", inputJson: "{}" },
  ...{
    inputSchemaJson: null,
    policyContext: { principal: null, profile: null, mcp: null },
    summary: "Refund",
  },
  ...({ verdict: "ask", risk: "low", reason: null, policyVersion: "1", timeoutMs: 1 } as const),
  approvers: { roles: [], ids: [] },
};

describe("a new row", () => {
  it("has a term that older versions do not know only if a rule has set it, and the same digest", () => {
    const plain = newApproval(proposer, { ...call, terms: defaultTerms });
    expect(["resultSummary", "units"].filter((term) => term in plain.terms)).toEqual([]);
    const read = { ...proposer, ...call, ...plain, terms: { ...defaultTerms, ...plain.terms } };
    expect(approvalDigest(read)).toBe(plain.digest);
    const added = { resultSummary: "Done", units: { amount: "EUR" } };
    const set = newApproval(proposer, { ...call, terms: { ...defaultTerms, ...added } });
    expect(set.terms).toMatchObject(added);
    expect(approvalDigest({ ...proposer, ...call, ...set })).toBe(set.digest);
  });
});
