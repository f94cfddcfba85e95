import { describe, expect, it } from "vitest";
import type { Approval, ApprovalTerms } from "../../approval/approval.js";
import { someApproval } from "../../testing/some-approval.js";
import { readAt, readPlus } from "../../testing/some-call-seen.js";
import {
  ada,
  approvedBy,
  ben,
  type SomeDecision,
  someDecisionSeen,
  someVote,
  writtenNow,
} from "../../testing/some-decision-seen.js";
import { validUntil } from "../changes.js";
import { judgeSnooze } from "./snooze.js";

const minute = 60_000;
const call = someApproval({ expiresAt: readPlus(10 * minute), ...approvedBy("lead") });
const someLate = (terms: Partial<ApprovalTerms> = {}, parts: Partial<Approval> = {}) =>
  someApproval({ expiresAt: readAt, ...approvedBy("lead"), ...parts }, terms);
const late = someLate();
const eve = { principalId: "eve", until: readPlus(5 * minute) };
const own = { ...eve, principalId: "ada" };
const notFound = { result: { outcome: "not_found" } };

const snoozing = (until: Date | null, seen: SomeDecision = {}, principal = ada) =>
  judgeSnooze(someDecisionSeen({ approval: call, ...seen }), { approvalId: "apr_1", principal, until });

/** The call, its request and their versions stay as they are, and the log as well. */
const compared = {
  ...{ tenantId: "acme", judgedAt: readAt, validUntil: validUntil(readAt) },
  ...{ approvals: [{ id: "apr_1", version: "701" }], audited: [] },
};
const rowOf = (until: Date) => ({
  ...{ approval_id: "apr_1", tenant_id: "acme", principal_id: "ada", until },
});

describe("a call that is put aside", () => {
  it.each<[string, SomeDecision["snoozes"] & {}]>([
    ["for the first time", [eve]],
    ["again, until another time", [own, eve]],
  ])("is so for one person, %s", (_, snoozes) => {
    const until = readPlus(9 * minute);
    expect(snoozing(until, { snoozes, siblings: [{ expiresAt: readPlus(-1) }] })).toEqual({
      result: {
        outcome: "snoozed",
        approval: { ...call, snoozes: [eve, { principalId: "ada", until }] },
      },
      changes: { ...compared, snooze: rowOf(until) },
    });
  });

  it("is so before that time has come", () => {
    expect(snoozing(readPlus(2)).changes).toEqual({
      ...{ ...compared, validUntil: readPlus(1) },
      snooze: rowOf(readPlus(2)),
    });
  });

  it.each<[string, number, string]>([
    ["in the past", -1, "invalid_snooze"],
    ["now", 0, "invalid_snooze"],
    ["a minute before the deadline", 9 * minute, "snoozed"],
    ["later than that", 9 * minute + 1, "invalid_snooze"],
  ])("cannot end as anyone likes: %s", (_, ms, outcome) => {
    const { result, changes } = snoozing(readPlus(ms));
    expect([result.outcome, changes === undefined]).toEqual([outcome, outcome !== "snoozed"]);
  });
});

describe("a call that cannot be put aside", () => {
  it("is not found, not open or not one to decide", () => {
    const until = readPlus(minute);
    expect(judgeSnooze(undefined, { approvalId: "apr_9", principal: ada, until })).toEqual(notFound);
    const withdrawn = someApproval({ ...call, status: "withdrawn" });
    expect(snoozing(until, { approval: withdrawn }).result.outcome).toBe("withdrawn");
    expect(snoozing(until, { approval: someApproval({ ...call, requesterId: "ben" }) }, ben)).toMatchObject({
      result: { outcome: "forbidden" },
    });
  });

  it.each<[string, SomeDecision]>([
    ["has voted", { approval: someLate({ quorum: 2 }), votes: [someVote("ada")] }],
    [
      "must leave it to others",
      { approval: someLate({ requesterMayNotApprove: true }, { requesterId: "ada" }) },
    ],
    ["decides it elsewhere", { approval: someLate({ decideIn: ["slack"] }) }],
  ])("is in no list of a person who %s, and does not expire then", (_, seen) => {
    const { result, changes } = snoozing(readPlus(-1), seen);
    expect([result.outcome, changes]).toEqual(["forbidden", undefined]);
  });

  it("expires first if its time is over, and wakes its run", () => {
    const { result, changes } = snoozing(readPlus(-1), { approval: late });
    expect(result).toMatchObject({ outcome: "expired", wakeUp: { requestId: "req_1" } });
    expect(changes).toMatchObject({ ...writtenNow, audited: [{ type: "approval.expired" }] });
    expect(changes).not.toHaveProperty("snooze");
  });
});

describe("a call that comes back", () => {
  it("does so for one person", () => {
    expect(snoozing(null, { snoozes: [own, eve] })).toEqual({
      result: { outcome: "snoozed", approval: { ...call, snoozes: [eve] } },
      changes: { ...compared, snoozeEnds: { approvalId: "apr_1", principalId: "ada" } },
    });
  });

  it.each<[string, SomeDecision]>([
    ["it is not put aside", { snoozes: [eve] }],
    ["it is decided", { approval: someApproval({ ...call, status: "denied" }) }],
  ])("changes nothing if %s", (_, seen) => {
    const { result, changes } = snoozing(null, seen);
    expect([result.outcome, changes]).toEqual(["snoozed", undefined]);
  });

  it("does so for people who only see it, and for nobody else", () => {
    const approval = someApproval({ ...call, requesterId: "ben" });
    expect(snoozing(null, { approval }, ben)).toEqual({ result: { outcome: "snoozed", approval } });
    expect(snoozing(null, {}, ben)).toEqual(notFound);
    expect(judgeSnooze(undefined, { approvalId: "apr_9", principal: ada, until: null })).toEqual(notFound);
  });
});
