import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Approval } from "../../approval/approval.js";
import { saltedHash } from "../../evidence/salted-hash.js";
import { someApproval } from "../../testing/some-approval.js";
import { readAt, readPlus, trailEntry } from "../../testing/some-call-seen.js";
import { ada, deciding, type SomeDecision, sealer, writtenOpen } from "../../testing/some-decision-seen.js";
import type { DecideInput } from "../ports/approval-port.js";
import { type StoredHold, storedHold } from "../ports/stored-hold.js";

const counted = { countedIn: [{ tool: "issue_refund", amount: "amount", per: "tenant" }] };
const call = someApproval(
  { notify: ["slack:#finance"] },
  { holdMs: 5_000, decisions: ["approve", "edit", "deny", "respond"], ...counted },
);
const { digest } = call;
const edited = { inputJson: '{"orderId":"A-1001","amount":8}', digest: "e".repeat(64) };
const heldUntil = readPlus(5_000);
const grant: DecideInput["grant"] = {
  ...{ scope: "team", inputHash: null, condition: null, authorSeesAll: false },
  ...{ lifetimeMs: 1_000, uses: null, budget: null },
};

const holding = (input: Partial<DecideInput> = {}, seen: Omit<SomeDecision, "approval"> = {}) =>
  deciding(call, { holdMs: 5_000, ...input }, seen);

describe("a decision that is held", () => {
  const stored: StoredHold = {
    ...{ type: "approve", reason: null, responseJson: null, edited: null, round: 3, evidence: null },
    ...{ decidedBy: "ada", roles: ["lead"], decidedAt: readAt.toISOString() },
  };

  it.each<[StoredHold["type"], Partial<DecideInput>, inRow: Partial<StoredHold>, data: object]>([
    ["approve", {}, {}, {}],
    ["deny", { reason: "no" }, { reason: "no" }, { reasonHash: saltedHash(call, "no") }],
    ["edit", { edited: edited }, { edited }, { editedDigest: edited.digest }],
    [
      "respond",
      { responseJson: '"later"' },
      { responseJson: '"later"' },
      { responseHash: saltedHash(call, '"later"') },
    ],
  ])(
    "to %s is in the row and the log, and the run is woken to look again",
    async (type, input, inRow, data) => {
      const principal = { ...ada, displayName: "Ada" };
      const viewers = [{ principalId: "eve", displayName: null, until: readPlus(1) }];
      const seen = { siblings: [{}], viewers, request: { rounds: 3 } };
      const { result, changes } = await holding({ type, principal, ...input }, seen);
      const held = { ...stored, type, ...inRow };
      const { evidence: _, ...shown } = held;
      expect(result).toEqual({
        outcome: "decided",
        approval: { ...call, viewers, held: { ...shown, decidedAt: readAt, until: heldUntil } },
        wakeUp: { requestId: "req_1" },
      });
      expect(changes).toEqual({
        ...writtenOpen,
        approvals: [{ id: "apr_1", version: "701", set: { held, heldUntil } }],
        names: [{ approvalId: "apr_1", tenantId: "acme", principalId: "ada", displayName: "Ada" }],
        ...(type === "edit" && {
          turn: "acme",
          counted: expect.objectContaining({ rows: [expect.objectContaining({ amount: 8 })] }),
        }),
        audited: [
          {
            ...{ tenantId: "acme", approvalId: "apr_1", type: "approval.held", actorId: "ada" },
            data: { type, digest, roles: ["lead"], ...data, until: heldUntil.toISOString() },
          },
        ],
      });
    },
  );

  it.each<[string, Date | null, provenMs: number]>([
    ["the call could be decided", readPlus(600_000), 600_000],
    ["it may take effect", readPlus(1_000), 125_000],
  ])("is signed now, and its evidence is valid for an hour after %s", async (_, expiresAt, provenMs) => {
    const until = readPlus(provenMs + 3_600_000);
    const { changes } = await deciding({ ...call, expiresAt }, { holdMs: 5_000 }, {}, sealer);
    const { evidence } = storedHold.parse(changes?.approvals[0]?.set?.held);
    expect(evidence).toEqual({
      ...{ id: expect.stringMatching(/^evd_/), tenantId: "acme", approvalId: "apr_1", digest },
      ...{ decision: "approve", principalId: "ada", origin: "runtime-ui-confirm", via: null },
      ...{ keyId: sealer.keyId, token: expect.any(String) },
      ...{ createdAt: readAt.toISOString(), expiresAt: until.toISOString() },
    });
    expect(changes).not.toHaveProperty("proofs");
    expect(changes?.audited).toMatchObject([
      { data: { evidenceId: evidence?.id, keyId: sealer.keyId, proofUntil: until.toISOString() } },
    ]);
    expect(await sealer.read("evidence", String(evidence?.token))).toMatchObject({
      claims: { id: evidence?.id, nbf: heldUntil.getTime() / 1000, decision: "approve" },
    });
  });

  it("is signed for the changed arguments, of an edit", async () => {
    const { changes } = await deciding(call, { type: "edit", edited, holdMs: 1 }, {}, sealer);
    const { evidence } = storedHold.parse(changes?.approvals[0]?.set?.held);
    expect(evidence?.digest).toBe(edited.digest);
  });

  it("is held longer by the whole seconds that it took to sign, but its evidence is not valid later", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const slow: typeof sealer = {
      ...sealer,
      seal: (kind, claims) => {
        vi.advanceTimersByTime(2_900);
        return sealer.seal(kind, claims);
      },
    };
    const { result, changes } = await deciding(call, { holdMs: 5_000 }, {}, slow);
    const until = readPlus(7_000);
    expect(result).toMatchObject({ approval: { held: { until, decidedAt: readAt } } });
    expect(changes?.approvals).toMatchObject([{ set: { heldUntil: until } }]);
    expect(changes?.audited).toMatchObject([{ data: { until: until.toISOString() } }]);
    const { evidence } = storedHold.parse(changes?.approvals[0]?.set?.held);
    expect(await sealer.read("evidence", String(evidence?.token))).toMatchObject({
      claims: { iat: readAt.getTime() / 1000, nbf: heldUntil.getTime() / 1000 },
    });
  });

  it("is no earlier than its announcement if the clock has gone back, and held from now", async () => {
    const { changes } = await holding({}, { trail: [trailEntry("approval.announced", {}, 2_000)] });
    const decidedAt = readPlus(2_000).toISOString();
    expect(changes?.approvals).toMatchObject([{ set: { heldUntil, held: { decidedAt } } }]);
  });

  it("keeps another one from being made", async () => {
    const { result, changes } = await holding({ reason: "other" }, { row: { held: stored, heldUntil } });
    expect([result.outcome, changes]).toEqual(["already_decided", undefined]);
  });
});

it.each<
  [string, heldMs: number | undefined, rule: number, asked: number | undefined, object, Partial<Approval>]
>([
  ["as long as the person wants", 2_000, 5_000, 2_000, {}, {}],
  ["no longer than its rule allows", 5_000, 5_000, 60_000, {}, {}],
  ["not, if nobody asks for it", undefined, 5_000, undefined, {}, {}],
  ["not, if its rule does not allow it", undefined, 0, 5_000, {}, {}],
  ["not, if it gives a grant", undefined, 5_000, 5_000, { grant }, {}],
  ["not, if no run waits", undefined, 5_000, 5_000, {}, { runId: null }],
])("a decision is held %s", async (_, heldMs, holdMs, asked, input, parts) => {
  const approval = someApproval(parts, { holdMs, grantable: ["team"] });
  const { result, changes } = await deciding(approval, {
    ...{ digest: approval.digest, ...input },
    ...(asked !== undefined && { holdMs: asked }),
  });
  expect(result.outcome).toBe("decided");
  const set = heldMs === undefined ? { status: "approved" } : { heldUntil: readPlus(heldMs) };
  expect(changes?.approvals).toMatchObject([{ set }]);
  expect(changes?.audited[0]?.type).toBe(heldMs === undefined ? "approval.approved" : "approval.held");
});
