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
  writtenNow,
  writtenOpen,
} from "../../testing/some-decision-seen.js";
import { judgeExtension } from "./extend.js";

const minute = 60_000;
const notify = ["slack:#finance"];
const expiresAt = readPlus(10 * minute);

/** A call that waited for at most 30 minutes, and may be extended twice. */
const someCall = (parts: Partial<Approval> = {}, terms: Partial<ApprovalTerms> = {}) =>
  someApproval({ notify, expiresAt, ...approvedBy("lead"), ...parts }, { extensions: 2, ...terms });
const extending = (
  byMs: number,
  approval = someCall(),
  seen: Omit<SomeDecision, "approval"> = {},
  principal = ada,
) => judgeExtension(someDecisionSeen({ approval, ...seen }), { approvalId: "apr_1", principal, byMs });

describe("an extension", () => {
  it("moves the deadline, is counted and logged, and holds until the old deadline", () => {
    const principal = { ...ada, authenticatedBy: "jwt", displayName: "Ada" };
    const eve = { principalId: "eve", until: readPlus(minute) };
    const viewers = [{ ...eve, displayName: null }];
    const people = { viewers, snoozes: [eve] };
    const set = { expiresAt: readPlus(30 * minute), extensionsUsed: 2 };
    const approval = someCall({ extensionsUsed: 1 });
    expect(extending(20 * minute, approval, { ...people, siblings: [{}] }, principal)).toEqual({
      result: { outcome: "extended", approval: { ...approval, ...people, ...set } },
      changes: {
        ...writtenOpen,
        validUntil: expect.any(Date),
        approvals: [{ id: "apr_1", version: "701", set }],
        audited: [
          {
            ...{ tenantId: "acme", approvalId: "apr_1", type: "approval.extended", notify, actorId: "ada" },
            data: {
              ...{ byMs: 20 * minute, expiresAt: readPlus(30 * minute).toISOString() },
              ...{ roles: ["lead"], via: "jwt" },
            },
          },
        ],
      },
    });
    const soon = someCall({ expiresAt: readPlus(5_000) });
    expect(extending(minute, soon).changes?.validUntil).toEqual(readPlus(4_999));
  });

  it.each([
    [minute - 1, "invalid_extension"],
    [minute - 0.4, "extended"],
    [minute, "extended"],
    [30 * minute, "extended"],
    [30 * minute + 1, "invalid_extension"],
    [-minute, "invalid_extension"],
    [Number.NaN, "invalid_extension"],
  ])("by %d ms is one by at least a minute and at most the original time: %s", (byMs, outcome) => {
    const { result, changes } = extending(byMs);
    expect([result.outcome, changes === undefined]).toEqual([outcome, outcome !== "extended"]);
    const data = { byMs: Math.round(byMs) };
    if (changes) expect(changes.audited).toMatchObject([{ data }]);
  });

  it("may be one by a minute even of a call that waits for less", () => {
    expect(extending(minute, someCall({ timeoutMs: 1_000 })).result.outcome).toBe("extended");
  });

  it("is given no more often than the rule allows", () => {
    const approval = someCall({ extensionsUsed: 2 });
    expect(extending(minute, approval)).toEqual({ result: { outcome: "no_extension_left", approval } });
    expect(extending(minute, someCall({}, { extensions: 0 })).result.outcome).toBe("no_extension_left");
  });
});

describe("a refused extension", () => {
  const own = someCall({ requesterId: "ada" }, { requesterMayNotApprove: true });
  const late = { expiresAt: readAt, extensionsUsed: 2 };

  it("comes before all others of a call that is not open", () => {
    expect(judgeExtension(undefined, { approvalId: "apr_9", principal: ada, byMs: 0 })).toEqual({
      result: { outcome: "not_found" },
    });
    expect(extending(0, someCall({ status: "withdrawn" })).result.outcome).toBe("withdrawn");
    expect(extending(0, someCall({ requesterId: "ben" }), {}, ben).result.outcome).toBe("forbidden");
  });

  it.each<[string, Approval, byMs: number, outcome: string]>([
    ["leaves the call to others", own, 0, "self_approval"],
    ["leaves an overdue call to others", { ...own, ...late }, 0, "self_approval"],
    ["names the time before it names the deadline", someCall(late), 0, "invalid_extension"],
    ["names the deadline before it counts", someCall(late), minute, "expired"],
    ["counts last", someCall({ extensionsUsed: 2 }), minute, "no_extension_left"],
  ])("%s", (_, approval, byMs, outcome) => {
    expect(extending(byMs, approval).result.outcome).toBe(outcome);
  });

  it("lets an overdue call expire, and wakes its run", () => {
    const { result, changes } = extending(minute, someCall(late));
    expect(result).toMatchObject({ outcome: "expired", wakeUp: { requestId: "req_1" } });
    expect(changes).toMatchObject({ ...writtenNow, audited: [{ type: "approval.expired" }] });
    const set = { status: "expired", finishedAt: readAt };
    expect(changes?.approvals).toEqual([{ id: "apr_1", version: "701", set }]);
  });

  it("expires nothing without a deadline", () => {
    const { result, changes } = extending(minute, someCall({ expiresAt: null }));
    expect([result.outcome, changes]).toEqual(["expired", undefined]);
  });
});
