import { describe, expect, it } from "vitest";
import type { ApprovalTerms } from "./approval.js";
import { approvalDigest, type DigestSubject } from "./approval-digest.js";
import { defaultTerms } from "./default-terms.js";

const hourly = { tool: "refund", amount: null, per: "requester" };

/**
 * Each term with its default, another value, and the digest of a call with that. Pending calls keep their digests over a
 * deployment, so nothing here ever changes: neither the name of a term, nor its default, nor what is hashed.
 */
const pinned: {
  [Name in keyof ApprovalTerms]: [byDefault: ApprovalTerms[Name], other: ApprovalTerms[Name], digest: string];
} = {
  decisions: [
    ["approve", "deny"],
    ["approve", "edit", "deny"],
    "0abe719f08f991d9583ef86e15a2b3fe8eee3f9b5d747f6d4a58ea7dee96a356",
  ],
  quorum: [1, 2, "cb8c518972306680c0c97539965848b26a2e500d321e6292e455803c74cb0ccc"],
  distinctRoles: [false, true, "7fa194b65fed4c067fc12dc54fceb346d667910b2b6113eba796c88942eb1f3f"],
  denials: [1, 2, "613ba017aa3163f9349c81a0aecedc15213f7a77b7d5a02281b7ac20bc2faa36"],
  editable: [[], ["amount"], "7c8eea7a1917f14a58aa36541e388b79ea46869dfb3fb45f22e2171c2c1ae2fd"],
  redact: [[], ["iban"], "6f3ee4e5896c85a6bd10ba84f2393e8f2994887c6eb168103f7bf928eaa2f304"],
  redactPatterns: [[], ["email"], "db62575183fdd43173e2c04aa77c2e35145c27c9b00f992d64d0ff8d3b7f320b"],
  requesterMayNotApprove: [false, true, "c33ebc7c95559f4c87e8f7ed55cc40e1ee3789b0932a2c67dacb6ce9d1735ca8"],
  escalation: [
    [],
    [{ afterMs: 60_000, escalateTo: ["lead"] }],
    "fbe70c1bc482dcd1ea67d954d2ce42f7c81f33569f1519772d3a818a927f8a3e",
  ],
  extensions: [3, 2, "b1baeb75e85e117fff19a423d01913a8f22bd987a83b9f86c6eb104bc8ae6e45"],
  delegable: [false, true, "714c62a3c0b22db14e75f1d1fbc6dba0d114d9f05f9dbb1833e9e27a561693c9"],
  holdMs: [10_000, 0, "c06bf9ac8926eabf6c855c7d389492844b4f82875bf7a66230e4df87ce7a72bc"],
  grantable: [[], ["thread"], "c8c2a5e86440c7d2d71825a712069292290cc8bb72b49a2da1bed610972e072a"],
  idempotent: [false, true, "88e7c8db88500a2ec0f3102b8c2b006a8ed9005be54424e7793ec32306c6873f"],
  codePreview: [
    null,
    [{ toolName: "refund", line: 1, column: 0 }],
    "5170db0ad307c9c358089f716c3f1eb389a14baf71858d6097eec1ed004fe052",
  ],
  reasons: [
    [],
    [{ rule: "refunds", reason: "Money", adds: { quorum: 2 } }],
    "7a4a1af2f0f0ebf47232706c67c25da103ef90dbc48d895d9387315cfd881325",
  ],
  decideIn: [
    ["inbox"],
    ["inbox", "slack"],
    "c20ab35db88a9d20e7f7e02826ad6bf64b7352355f1da2b850d5240ef242ef94",
  ],
  checks: [
    [],
    [{ name: "iban", ok: false, message: "unknown" }],
    "0080ff2302676151bb169c07feb1330735b7cd85f0c8154afbc4b9d8096a20d0",
  ],
  preview: [
    null,
    { effectsJson: "[]", stateHash: "00", reversible: "30m" },
    "ba93aa7955105e614f3fcf5b83b0ac6185312a8bb2f2d1a998e8a09c56933885",
  ],
  counts: [
    [],
    [{ ...hourly, window: "1h", text: "calls in 1h", limit: 2, total: 1 }],
    "d3a07301c6a9fa02add67815aeac32a7a6dca695b05a2df9250c69001684e6ad",
  ],
  countedIn: [[], [hourly], "67849a24421ae54dad8fb1304172e8bba64bc3fddef0a0e11c6301853d778e96"],
  summaryParts: [
    [],
    [{ text: "Refund" }],
    "57ff764206ed57c8209e6cebb534c96bd386ea0e43b9bc23c827e15880a7fc3c",
  ],
  resultSummary: [
    null,
    "Refunded {{result.amount}}",
    "93d178a28b774e508755682d8fe137ec3b3a01102e396910d29f5055428a88e6",
  ],
  label: [null, "Refund", "b2b04a733fcf3f5c9f0e0d9a52318b091dea7fad697fea10e8bf721c916a6e69"],
  names: [{}, { orderId: "Order" }, "0bbe017f8ff39145164a56db64908b4ee1c98d0f8ab5f52c2ebc1a7f5246b5b5"],
  units: [{}, { amount: "EUR" }, "a683806c2df43c0ff9d99702cbe0130365f25fa51475723393cbb7a89bb1ca82"],
  reversible: [null, false, "d705f45f0d7db05755bdeef255c0479d99bac1380924f0f9331949ceef424200"],
  undoable: [false, true, "85bb7a7c6eaf182e142561c86e5e22fa01e38bb23f1bb3a0808cfc743b8f5962"],
  undoes: [
    null,
    { approvalId: "apr_0", outcomeHash: "00", askedBy: "ann", reason: null, after: null },
    "c6f2b3352c72edcff5db2c3a935bfe5137e5db6051e9df6c4dc369f332461cde",
  ],
};

const subject: DigestSubject = {
  id: "apr_1",
  requestId: "req_1",
  position: 0,
  toolCallId: "call_1",
  runId: "run_1",
  tenantId: "default",
  requesterId: "ben",
  threadId: "thread_1",
  agentName: "support",
  toolName: "refund",
  toolVersion: "1",
  inputJson: '{"amount":120}',
  inputSchemaJson: null,
  policyVersion: "1",
  policyContext: { principal: null, profile: null, mcp: null },
  verdict: "ask",
  proposedRoles: ["finance"],
  approvers: { roles: ["finance"], ids: [] },
  terms: defaultTerms,
  timeoutMs: 1_800_000,
  risk: "high",
  reason: null,
  summary: "Refund",
  nonce: "nonce",
};

describe("the digest of a call", () => {
  it("has no terms with their default values in it", () => {
    const terms = Object.fromEntries(Object.entries(pinned).map(([name, [byDefault]]) => [name, byDefault]));
    expect(terms).toEqual(defaultTerms);
    const digest = "2e6b587f37830ade76bb85223cbff0378a089b242ebc7e23585d0a47f17124a8";
    expect(approvalDigest({ ...subject, terms: { ...defaultTerms, ...terms } })).toBe(digest);
  });

  it.each(Object.entries(pinned).map(([name, [, other, digest]]) => [name, other, digest] as const))(
    "stays as it is with another value of %s",
    (name, other, digest) => {
      const terms: ApprovalTerms = { ...defaultTerms, [name]: other };
      expect(approvalDigest({ ...subject, terms })).toBe(digest);
    },
  );
});
