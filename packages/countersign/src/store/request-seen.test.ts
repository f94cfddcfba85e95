import type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";
import { describe, expect, it } from "vitest";
import { jsonRow, readAt, readPlus, trailEntry } from "../testing/some-call-seen.js";
import {
  type SomeCall,
  someCallRow,
  someRequest,
  someRequestJson,
  someRequestRow,
} from "../testing/some-request-seen.js";
import { type ChangedCall, validUntil } from "./changes.js";
import { CallDraft, requestReading } from "./request-seen.js";

const { parse, ...request } = requestReading("req_1");

describe("a request", () => {
  it("is read by its id", () => {
    expect(request).toEqual({ kind: "request", id: "req_1" });
  });

  it("is not read if there is none", () => {
    expect(parse(null)).toBeUndefined();
  });

  it("is read from the database's JSON, with its calls in their order", () => {
    const trail = [trailEntry("approval.held", { digest: "d" })];
    const heldUntil = readPlus(5_000);
    const seen = parse(
      someRequestJson([{ heldUntil, trail }, { status: "approved" }], { settledAt: readAt }),
    );
    expect(seen).toMatchObject({ row: someRequestRow({ settledAt: readAt }), now: readAt });
    expect(seen?.calls).toEqual([
      new CallDraft(someCallRow({ id: "apr_1", heldUntil }), "701", trail),
      new CallDraft(someCallRow({ id: "apr_2", position: 1, status: "approved" }), "702", []),
    ]);
  });

  it("may have no call", () => {
    const json = { row: jsonRow(someRequestRow()), version: "600", now: readAt.getTime(), calls: null };
    expect(parse(json)?.calls).toEqual([]);
  });

  it.each<[ApprovalStatus[], boolean]>([
    [[], true],
    [["approved", "denied", "expired"], true],
    [["approved", "pending"], false],
    [["proposed", "withdrawn"], false],
  ])("with calls that are %j is complete: %s", (statuses, isComplete) => {
    expect(someRequest(statuses.map((status) => ({ status }))).isComplete).toBe(isComplete);
  });
});

it.each<[string, SomeCall[], ms: number]>([
  [
    "the latest deadline of its calls",
    [{ expiresAt: readPlus(1) }, { expiresAt: readPlus(3) }, {}],
    1_441_000,
  ],
  ["the end of a call that has ended", [{ status: "denied", expiresAt: readPlus(2) }], 2],
  ["the timeout of a call that is not announced", [{ expiresAt: null, timeoutMs: 400_000 }], 40_000],
  ["now, if that is over", [{ expiresAt: readPlus(-1) }], 0],
  ["now, without a call", [], 0],
])("a request is open until %s", (_, calls, ms) => {
  expect(someRequest(calls).openUntil).toBe(readPlus(ms).getTime());
});

describe("the changes of a request", () => {
  const written = { tenantId: "acme", judgedAt: readAt, validUntil: validUntil(readAt) };

  it("are none if nothing has changed", () => {
    expect(someRequest([{}, {}]).changes()).toBeUndefined();
  });

  it("are those of the calls that have changed, with all versions, and say that another one is open", () => {
    const draft = someRequest([{}, {}, {}, { status: "denied" }]);
    draft.calls[1]?.change({ escalationSteps: 1 });
    draft.calls[2]?.change({ status: "expired" });
    draft.calls[2]?.change({ finishedAt: readAt });
    expect(draft.changes()).toEqual({
      ...written,
      request: { id: "req_1", version: "600", set: {}, isComplete: false },
      approvals: [
        { id: "apr_2", version: "702", set: { escalationSteps: 1 } },
        { id: "apr_3", version: "703", set: { status: "expired", finishedAt: readAt } },
      ],
      audited: [],
    });
  });

  it.each<[string, from: ApprovalStatus, set: ChangedCall, compared: object]>([
    [
      "say that none is open any more, if the last one ends",
      "pending",
      { status: "approved" },
      { isComplete: true },
    ],
    ["do not say whether one is open, if none ends", "pending", { escalationSteps: 1 }, {}],
    ["do not say so if one begins to wait", "proposed", { status: "pending" }, {}],
    ["do not say so if one had ended before", "expired", { finishedAt: readAt }, {}],
  ])("%s", (_, status, set, compared) => {
    const draft = someRequest([{ status: "denied" }, { status }]);
    draft.calls[1]?.change(set);
    expect(draft.changes()?.request).toStrictEqual({ id: "req_1", version: "600", set: {}, ...compared });
  });

  it("are those of the request alone, if no call has changed", () => {
    const draft = someRequest([{ status: "denied" }], { settledAt: readPlus(-1) });
    draft.change({ wakeUp: "queued" });
    expect(draft.row).toEqual(someRequestRow({ settledAt: readPlus(-1) }));
    draft.change({ rounds: 2, settledAt: null });
    expect(draft.row).toEqual(someRequestRow({ rounds: 2, settledAt: null }));
    expect(draft.changes()).toEqual({
      ...written,
      request: { id: "req_1", version: "600", set: { rounds: 2, settledAt: null, wakeUp: "queued" } },
      ...{ approvals: [], audited: [] },
    });
  });

  it("hold until the first of some times", () => {
    const draft = someRequest([]);
    draft.change({ rounds: 2 });
    for (const ms of [9_000, 5_000, 7_000]) draft.holdsUntil(readPlus(ms));
    expect(draft.changes()?.validUntil).toEqual(readPlus(4_999));
  });

  it("have entries, evidence and what else there is to write", () => {
    const draft = someRequest([]);
    const entry = { tenantId: "acme", approvalId: null, type: "stop.engaged" } as const;
    draft.change({ rounds: 2 });
    draft.audited.push(entry);
    draft.proofs.push({ id: "evd_1" });
    draft.also.vote = { type: "deny" };
    const vote = { type: "deny" };
    expect(draft.changes()).toMatchObject({ audited: [entry], proofs: [{ id: "evd_1" }], vote });
  });
});

describe("a call", () => {
  it.each<[from: ApprovalStatus, to: ApprovalStatus]>([
    ["proposed", "pending"],
    ["pending", "approved"],
    ["pending", "expired"],
    ["approved", "withdrawn"],
  ])("that is %s can become %s", (from, to) => {
    const call = new CallDraft(someCallRow({ status: from }), "701", []);
    call.change({ status: to });
    expect(call.row).toEqual(someCallRow({ status: to }));
    expect(call.set).toEqual({ status: to });
  });

  it.each<[from: ApprovalStatus, to: ApprovalStatus]>([
    ["proposed", "approved"],
    ["pending", "pending"],
    ["approved", "pending"],
    ["denied", "approved"],
    ["expired", "withdrawn"],
  ])("that is %s cannot become %s", (from, to) => {
    const call = new CallDraft(someCallRow({ status: from }), "701", []);
    expect(() => call.change({ status: to })).toThrow(`A call that is ${from} cannot become ${to}`);
    expect(call).toEqual(new CallDraft(someCallRow({ status: from }), "701", []));
  });

  it("that has ended can still change otherwise", () => {
    const call = new CallDraft(someCallRow({ status: "expired" }), "701", []);
    call.change({ finishedAt: readAt });
    expect(call.row.finishedAt).toEqual(readAt);
  });
});
