import { describe, expect, it } from "vitest";
import { readAt, readPlus } from "../../testing/some-call-seen.js";
import {
  judged,
  type SomeCall,
  someRequest,
  someRequestJson,
  type someRequestRow,
} from "../../testing/some-request-seen.js";
import { validUntil } from "../changes.js";
import { peek, settle, settleRequest } from "./settle.js";

type Request = Partial<ReturnType<typeof someRequestRow>>;

const settling = (calls: readonly SomeCall[], request: Request = {}, round = 0) =>
  judged(someRequestJson(calls, request), (judging) => settle(judging, "req_1", round));
const peeking = (calls: readonly SomeCall[], request: Request = {}, round = 0) =>
  judged(someRequestJson(calls, request), (judging) => peek(judging, "req_1", round));

const approved: SomeCall = { status: "approved" };
const denied: SomeCall = { status: "denied" };
const overdue: SomeCall = { expiresAt: readAt };
const expired = { status: "expired", finishedAt: readAt };
const answered = { settledAt: readAt, wakeUp: "answered" };
const queued = { wakeUp: "queued", retrySeconds: 5 };
const isOver = readPlus(-1_000);

describe("settle", () => {
  it.each<[string, SomeCall[], open: number]>([
    ["pending", [approved, {}], 1],
    ["proposed", [{ status: "proposed" }, {}], 2],
  ])("changes nothing while a call is %s", async (_, calls, open) => {
    const { result, changes } = await settling(calls);
    expect(result).toMatchObject({ settled: false, open });
    expect(result.approvals.map(({ id }) => id)).toEqual(["apr_1", "apr_2"]);
    expect(changes).toBeUndefined();
  });

  it("settles a request once all its calls have ended", async () => {
    const { result, changes } = await settling([approved, denied]);
    expect(result).toMatchObject({ settled: true, open: 0, nextDeadlineMs: 0 });
    expect(changes).toEqual({
      ...{ tenantId: "acme", judgedAt: readAt, validUntil: validUntil(readAt), approvals: [], audited: [] },
      request: { id: "req_1", version: "600", set: answered },
    });
  });

  it.each<[string, Request, round: number | undefined, settled: boolean, set: object | undefined]>([
    ["settles a request in its round", { rounds: 3 }, 2, true, answered],
    ["settles a request that no run has waited for", { rounds: 0 }, 0, true, answered],
    ["leaves a request to the later round, and wakes its run", { rounds: 3 }, 1, false, queued],
    ["settles a request in whatever round", { rounds: 3 }, Number.POSITIVE_INFINITY, true, answered],
    ["finds a request settled already", { settledAt: isOver }, 0, true, undefined],
    [
      "finds a request settled that settled in a later round",
      { rounds: 3, settledAt: isOver },
      1,
      true,
      undefined,
    ],
  ])("%s", async (_, request, round, settled, set) => {
    const { result, changes } = await settling([approved], request, round);
    expect(result.settled).toBe(settled);
    expect(changes?.request?.set).toEqual(set);
  });

  it("settles whatever round by default", () => {
    expect(settleRequest(someRequest([approved], { rounds: 9 })).settled).toBe(true);
  });

  it("first expires what is overdue", async () => {
    const { result, changes } = await settling([approved, overdue]);
    expect(result).toMatchObject({ settled: true, open: 0, approvals: [{}, expired] });
    expect(changes).toMatchObject({
      request: { set: answered },
      approvals: [{ id: "apr_2", version: "702", set: expired }],
      audited: [{ tenantId: "acme", approvalId: "apr_2", type: "approval.expired" }],
    });
  });

  it("finds a request that does not exist settled", async () => {
    expect(await judged(null, (judging) => settle(judging, "req_1", 0))).toEqual({
      result: { approvals: [], open: 0, nextDeadlineMs: 0, settled: true },
    });
  });
});

describe("the next deadline", () => {
  /** Announced 359 s before. */
  const escalating = (...afterMs: number[]): SomeCall => ({
    terms: { escalation: afterMs.map((ms) => ({ afterMs: ms, escalateTo: [] })) },
  });

  it.each<[string, SomeCall[], ms: number]>([
    ["is the expiry", [{}], 1_441_000],
    ["is the first expiry of all open calls", [{}, { expiresAt: readPlus(7) }, denied], 7],
    ["is no deadline of a call that has ended", [{}, { ...approved, expiresAt: readPlus(7) }], 1_441_000],
    ["is the next escalation", [escalating(358_000, 359_000, 360_000, 361_000)], 1_000],
    ["is the expiry if the escalation comes later", [escalating(3_600_000)], 1_441_000],
    ["is the end of a hold", [{ ...escalating(360_000), heldUntil: readPlus(5_000) }], 5_000],
    ["is the end of a hold after the expiry", [{ expiresAt: isOver, heldUntil: readPlus(5_000) }], 5_000],
    ["is now, for a call without an expiry", [{ status: "proposed", announcedAt: null, expiresAt: null }], 0],
    ["is never in the past", [{ status: "proposed", expiresAt: isOver }], 0],
    ["is now, once no call is open", [denied], 0],
  ])("%s", async (_, calls, ms) => {
    expect((await settling(calls)).result.nextDeadlineMs).toBe(ms);
    expect((await peeking(calls)).result.nextDeadlineMs).toBe(ms);
  });
});

describe("peek", () => {
  it.each<[string, SomeCall[], Request, round: number, set: object | undefined]>([
    ["begins its round", [{}], { rounds: 2 }, 2, { rounds: 3, settledAt: null }],
    ["begins a round that is two later", [{}], { rounds: 2 }, 4, { rounds: 5, settledAt: null }],
    ["begins no round that has begun", [{}], { rounds: 2 }, 1, undefined],
    ["queues the wake-up of a complete request", [denied], { rounds: 2 }, 1, queued],
    ["does both", [denied], { rounds: 2 }, 2, { rounds: 3, settledAt: null, ...queued }],
    ["queues none if the request has settled", [denied], { rounds: 2, settledAt: isOver }, 1, undefined],
    [
      "queues one if it had settled before this round",
      [denied],
      { settledAt: isOver },
      1,
      { rounds: 2, settledAt: null, ...queued },
    ],
    ["queues none if nothing waits", [denied], { runId: null, appId: null }, 0, undefined],
  ])("%s", async (_, calls, request, round, set) => {
    const { changes } = await peeking(calls, request, round);
    expect(changes?.request?.set).toEqual(set);
    expect((changes?.approvals ?? []).filter((call) => call.set)).toEqual([]);
  });

  it("expires what is overdue, and then queues the wake-up", async () => {
    const { result, changes } = await peeking([approved, overdue]);
    expect(result).toMatchObject({ open: 0, nextDeadlineMs: 0, approvals: [{}, expired] });
    expect(changes).toMatchObject({ approvals: [{ set: expired }], request: { set: queued } });
  });

  it("applies the reminders that are due to calls that are still open", async () => {
    const terms = { escalation: [{ afterMs: 60_000, escalateTo: ["lead"] }] };
    const { result, changes } = await peeking([
      { terms, ...overdue },
      { terms, proposedRoles: ["support"] },
    ]);
    expect(result.approvals[1]?.approvers.roles).toEqual(["lead", "support"]);
    expect(changes?.audited.map(({ approvalId, type }) => [approvalId, type])).toEqual([
      ["apr_1", "approval.expired"],
      ["apr_2", "approval.escalated"],
    ]);
  });

  it("finds nothing of a request that does not exist", async () => {
    expect(await judged(null, (judging) => peek(judging, "req_1", 0))).toEqual({
      result: { approvals: [], open: 0, nextDeadlineMs: 0 },
    });
  });
});
