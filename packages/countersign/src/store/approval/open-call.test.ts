import { describe, expect, it } from "vitest";
import type { Approval, Decision } from "../../approval/approval.js";
import { someApproval } from "../../testing/some-approval.js";
import { readAt, readPlus } from "../../testing/some-call-seen.js";
import {
  ada,
  approvedBy,
  ben,
  type SomeDecision,
  someDecisionSeen,
  writtenNow,
} from "../../testing/some-decision-seen.js";
import type { StoredHold } from "../ports/stored-hold.js";
import { expiredFirst, openCall } from "./open-call.js";

const finding = (parts: Partial<Approval>, seen: SomeDecision = {}, principal = ada) =>
  openCall(someDecisionSeen({ approval: someApproval(parts), ...seen }), principal);
const decision: Decision = { type: "deny", decidedBy: "eve", roles: [], reason: null, decidedAt: readAt };
const held: StoredHold = {
  ...{ type: "approve", reason: null, responseJson: null, edited: null, round: 1, evidence: null },
  ...{ decidedBy: "eve", roles: [], decidedAt: readPlus(-1_000).toISOString() },
};
const row = { held, heldUntil: readPlus(5_000) };

describe("an open call", () => {
  it("is found with what people see of it", () => {
    const eve = { principalId: "eve", until: readPlus(60_000) };
    const people = { viewers: [{ ...eve, displayName: "Eve" }], snoozes: [eve] };
    const found = finding(approvedBy("lead"), people);
    const approval = { ...someApproval(approvedBy("lead")), ...people };
    expect(found).toMatchObject({ outcome: "found", approval, seen: { call: { version: "701" } } });
  });

  it.each<[string, Partial<Approval>, SomeDecision?]>([
    ["its time is over", { expiresAt: readPlus(-1) }],
    ["something unreadable is held", {}, { row: { ...row, held: "changed" } }],
  ])("is found though %s", (_, parts, seen) => {
    expect(finding(parts, seen).outcome).toBe("found");
  });

  it("is not found if there is none, or if somebody may not see it", () => {
    const notFound = { outcome: "not_found" };
    expect(openCall(undefined, ada)).toEqual(notFound);
    expect(finding({}, {}, { ...ada, tenantId: "globex" })).toEqual(notFound);
    expect(finding(approvedBy("lead"), {}, ben)).toEqual(notFound);
  });

  it.each<[string, Partial<Approval>, object, SomeDecision?]>([
    ["is not announced", { status: "proposed" }, { outcome: "not_open" }],
    ["has expired", { status: "expired" }, { outcome: "expired", wakeUp: undefined }],
    ["was withdrawn", { status: "withdrawn" }, { outcome: "withdrawn", wakeUp: undefined }],
    ["is decided", { status: "denied", decision }, { outcome: "already_decided", wakeUp: undefined }],
    ["has run", { status: "executed", decision }, { outcome: "already_decided", wakeUp: undefined }],
    [
      "has been withdrawn since it was decided",
      { status: "withdrawn", decision },
      { outcome: "already_decided", wakeUp: undefined },
    ],
    ["has a held decision", {}, { outcome: "already_decided", wakeUp: undefined }, { row }],
  ])("is none if it %s, of which who may not decide learns nothing", (_, parts, refusal, seen) => {
    const named = { ...approvedBy("lead"), requesterId: "ben", ...parts };
    const approval = expect.objectContaining({ id: "apr_1" });
    expect(finding(named, seen)).toEqual({ approval, ...refusal });
    expect(finding(named, seen, ben)).toEqual({ outcome: "forbidden", approval });
  });
});

describe("a call that nobody has decided in time", () => {
  const approval = someApproval({ expiresAt: readAt });
  const expired = { status: "expired", finishedAt: readAt };

  it("expires with the others whose time is over, and wakes the run", () => {
    const siblings = [{ expiresAt: readPlus(-1) }, { status: "denied" as const }];
    expect(expiredFirst(someDecisionSeen({ approval, siblings }), approval)).toEqual({
      result: {
        outcome: "expired",
        approval: { ...approval, status: "expired" },
        wakeUp: { requestId: "req_1" },
      },
      changes: {
        ...writtenNow,
        approvals: [
          { id: "apr_1", version: "701", set: expired },
          { id: "apr_2", version: "702", set: expired },
        ],
        audited: ["apr_1", "apr_2"].map((approvalId) =>
          expect.objectContaining({ approvalId, type: "approval.expired" }),
        ),
      },
    });
  });

  it("wakes nobody while another one waits", () => {
    const { result, changes } = expiredFirst(someDecisionSeen({ approval, siblings: [{}] }), approval);
    expect(result.wakeUp).toBeUndefined();
    expect(changes?.request).toEqual({ ...writtenNow.request, set: {}, isComplete: false });
  });
});
