import { describe, expect, it } from "vitest";
import { readAt, readPlus, trailEntry } from "../../testing/some-call-seen.js";
import { type SomeCall, someRequest } from "../../testing/some-request-seen.js";
import type { TrailEntry } from "../evidence/trail.js";
import type { StoredHold } from "../ports/stored-hold.js";
import { endHolds } from "./end-holds.js";

const decidedAt = readPlus(-5_000);
const evidence: NonNullable<StoredHold["evidence"]> = {
  ...{ id: "evd_1", tenantId: "acme", approvalId: "apr_1", digest: "d", decision: "approve" },
  ...{ principalId: "ada", origin: "runtime-ui-confirm", via: "mfa", keyId: "key_1", token: "a.b.c" },
  ...{ createdAt: decidedAt.toISOString(), expiresAt: readPlus(3_600_000).toISOString() },
};
const hold: StoredHold = {
  ...{ type: "approve", decidedBy: "ada", roles: ["lead", "cfo"], reason: "fine" },
  ...{ decidedAt: decidedAt.toISOString(), round: 1, responseJson: null, edited: null, evidence },
};
const edited = { inputJson: '{"amount":8}', digest: "e" };
const unsigned = { ...hold, evidence: null };
const responding: StoredHold = { ...unsigned, type: "respond", responseJson: '"later"' };

/** The data of the entry with which a decision was made that takes effect now. */
const heldData = (stored: StoredHold) => ({
  ...{ type: stored.type, digest: "d", until: readAt.toISOString(), roles: stored.roles, via: "mfa" },
  ...(stored.edited && { editedDigest: stored.edited.digest }),
  ...(stored.evidence && { evidenceId: stored.evidence.id, keyId: "key_1" }),
});
const madeBy = (stored: StoredHold, data: TrailEntry["data"] = {}) =>
  trailEntry("approval.held", { ...heldData(stored), ...data });

/** What becomes of a call with such a held decision. */
function ended(stored: unknown, trail: readonly TrailEntry[], call: SomeCall = {}) {
  const request = someRequest([{ digest: "d", held: stored, heldUntil: readAt, trail, ...call }]);
  endHolds(request);
  return request.changes();
}

describe("a held decision", () => {
  it("takes effect at its time, with its evidence and its entry", () => {
    const changes = ended(hold, [madeBy(hold)]);
    expect(changes?.approvals).toEqual([
      {
        ...{ id: "apr_1", version: "701" },
        set: {
          ...{ status: "approved", held: null, heldUntil: null },
          ...{ responseJson: null, editedInputJson: null, editedDigest: null },
          ...{ decisionType: "approve", decidedBy: "ada", decidedRoles: ["lead", "cfo"] },
          ...{ decisionReason: "fine", decidedAt },
        },
      },
    ]);
    expect(changes?.proofs).toEqual([
      {
        ...{ id: "evd_1", tenant_id: "acme", approval_id: "apr_1", digest: "d", decision: "approve" },
        ...{ principal_id: "ada", origin: "runtime-ui-confirm", via: "mfa", key_id: "key_1" },
        ...{ token: "a.b.c", consumed_at: null },
        ...{ created_at: "2026-01-02T03:09:55.000Z", expires_at: "2026-01-02T04:10:00.000Z" },
      },
    ]);
    expect(changes?.audited).toEqual([
      {
        ...{ tenantId: "acme", approvalId: "apr_1", type: "approval.approved", actorId: "ada" },
        ...{ notify: ["slack:#finance"], waitedMs: 354_000 },
        data: {
          ...{ digest: "d", roles: ["lead", "cfo"], via: "mfa", evidenceId: "evd_1", keyId: "key_1" },
          heldFrom: "2026-01-02T03:09:55.000Z",
        },
      },
    ]);
  });

  it.each<[StoredHold, set: object, entry: string]>([
    [
      { ...unsigned, type: "edit", edited },
      {
        ...{ status: "approved", editedInputJson: edited.inputJson, editedDigest: "e" },
        argumentsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      "approval.edited",
    ],
    [
      { ...unsigned, type: "deny", reason: null },
      { status: "denied", decisionReason: null },
      "approval.denied",
    ],
    [responding, { status: "responded", responseJson: '"later"' }, "approval.responded"],
  ])("takes effect as $type", (stored, set, type) => {
    const changes = ended(stored, [madeBy(stored)]);
    const decided = { decisionType: stored.type, decidedBy: "ada", decidedAt, held: null, heldUntil: null };
    expect(changes?.approvals).toMatchObject([{ set: { ...decided, ...set } }]);
    expect(changes?.audited).toMatchObject([{ type, actorId: "ada" }]);
    expect(changes?.proofs).toBeUndefined();
  });

  it("takes effect though it was in time and the call would be overdue by now", () => {
    const changes = ended(hold, [madeBy(hold)], { expiresAt: readPlus(-1_000) });
    expect(changes?.approvals).toMatchObject([{ set: { status: "approved" } }]);
  });

  it("takes effect if it was taken back and made again", () => {
    const trail = [madeBy(hold, { evidenceId: "evd_0" }), trailEntry("approval.taken_back"), madeBy(hold)];
    expect(ended(hold, trail)?.approvals).toMatchObject([{ set: { status: "approved" } }]);
  });

  it("takes effect without a waiting time if it has no time of its announcement", () => {
    const entry = ended(hold, [madeBy(hold)], { announcedAt: null })?.audited[0];
    expect(entry?.type).toBe("approval.approved");
    expect(entry).not.toHaveProperty("waitedMs");
  });

  it.each<[string, SomeCall]>([
    ["before its time", { heldUntil: readPlus(1) }],
    ["without a time", { heldUntil: null }],
    ["if its call has ended", { status: "withdrawn" }],
    ["if its call was not announced", { status: "proposed" }],
  ])("does not take effect %s", (_, call) => {
    expect(ended(hold, [madeBy(hold)], call)).toBeUndefined();
  });

  it("takes effect alone", () => {
    const [call, later] = [{ digest: "d", held: hold, trail: [madeBy(hold)] }, readPlus(1)];
    const request = someRequest([{ ...call, heldUntil: later }, { ...call, heldUntil: readAt }, {}]);
    endHolds(request);
    const changed = request.changes()?.approvals.filter(({ set }) => set);
    expect(changed?.map(({ id }) => id)).toEqual(["apr_2"]);
  });
});

describe("a call whose row was changed", () => {
  const other = { ...hold, evidence: { ...evidence, id: "evd_2" } };
  const editing: StoredHold = { ...unsigned, type: "edit", edited };

  it.each<[string, held: unknown, trail: readonly TrailEntry[], call?: SomeCall]>([
    ["no entry in the log", hold, []],
    ["only other entries in the log", hold, [trailEntry("approval.voted", heldData(hold))]],
    ["a decision that was taken back", hold, [madeBy(hold), trailEntry("approval.taken_back")]],
    ["no decision", null, [madeBy(hold)]],
    ["a decision that cannot be read", { ...hold, type: "allow" }, [madeBy(hold)]],
    ["another digest", hold, [madeBy(hold)], { digest: "f" }],
    ["another time", hold, [madeBy(hold)], { heldUntil: readPlus(-1) }],
    ["another type", { ...hold, type: "deny" }, [madeBy(hold)]],
    ["another person", { ...hold, decidedBy: "bo" }, [madeBy(hold)]],
    ["other roles", { ...hold, roles: ["lead"] }, [madeBy(hold)]],
    ["other evidence", other, [madeBy(hold)]],
    ["no evidence", unsigned, [madeBy(hold)]],
    ["evidence that the log does not have", hold, [madeBy(unsigned)]],
    ["another edit", { ...editing, edited: { ...edited, digest: "f" } }, [madeBy(editing)]],
    ["an edit that the log does not have", { ...unsigned, edited }, [madeBy(unsigned)]],
    ["a decision of before the last one", hold, [madeBy(hold), madeBy(hold, { evidenceId: "evd_3" })]],
  ])("is withdrawn if it has %s", (_, held, trail, call) => {
    const changes = ended(held, trail, call);
    const withdrawn = { status: "withdrawn", withdrawalCause: "digest_changed", finishedAt: readAt };
    const set = { ...withdrawn, held: null, heldUntil: null };
    expect(changes?.approvals).toEqual([{ id: "apr_1", version: "701", set }]);
    expect(changes?.audited).toEqual([
      {
        ...{ tenantId: "acme", approvalId: "apr_1", type: "approval.withdrawn" },
        ...{ notify: ["slack:#finance"], data: { cause: "digest_changed" } },
      },
    ]);
    expect(changes?.proofs).toBeUndefined();
  });
});
