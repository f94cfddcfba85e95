import type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";
import { describe, expect, it } from "vitest";
import { readAt, readPlus } from "../../testing/some-call-seen.js";
import {
  judged,
  type SomeCall,
  someRequestJson,
  type someRequestRow,
} from "../../testing/some-request-seen.js";
import type { CallRow } from "../call-seen.js";
import { validUntil } from "../changes.js";
import { announce } from "./announce.js";

const minuteMs = 60_000;
const proposed = { status: "proposed", announcedAt: null, expiresAt: null } satisfies SomeCall;

const announcing = (...given: Parameters<typeof someRequestJson>) =>
  judged(someRequestJson(...given), (judging) => announce(judging, "req_1"));

describe("a proposed call", () => {
  it("becomes pending, and the first round begins", async () => {
    const { result, changes } = await announcing([proposed, { status: "denied" }], { rounds: 0 });
    const set = { status: "pending", announcedAt: readAt, expiresAt: readPlus(30 * minuteMs) };
    expect(result).toMatchObject([
      { id: "apr_1", ...set },
      { id: "apr_2", status: "denied" },
    ]);
    expect(changes).toEqual({
      ...{ tenantId: "acme", judgedAt: readAt, validUntil: validUntil(readAt) },
      request: { id: "req_1", version: "600", set: { rounds: 1, settledAt: null } },
      approvals: [{ id: "apr_1", version: "701", set }],
      audited: [
        {
          ...{ tenantId: "acme", approvalId: "apr_1", type: "approval.announced", sentByRun: true },
          ...{ notify: ["slack:#finance"], data: { proofUntil: readPlus(120 * minuteMs).toISOString() } },
        },
      ],
    });
  });

  it.each<[string, Partial<CallRow>, provenMs: number]>([
    ["its timeout", { timeoutMs: 5 * minuteMs, terms: { extensions: 0 } }, 5 * minuteMs],
    ["the three extensions by default", { timeoutMs: 5 * minuteMs }, 20 * minuteMs],
    ["its extensions", { timeoutMs: 5 * minuteMs, terms: { extensions: 2 } }, 15 * minuteMs],
    ["extensions of at least a minute", { timeoutMs: 10_000, terms: { extensions: 3 } }, 190_000],
  ])("is proven until the end of %s", async (_, parts, provenMs) => {
    const { changes } = await announcing([{ ...proposed, ...parts }]);
    const expiresAt = readPlus(Number(parts.timeoutMs));
    expect(changes?.approvals).toMatchObject([{ set: { announcedAt: readAt, expiresAt } }]);
    expect(changes?.audited[0]?.data).toEqual({ proofUntil: readPlus(provenMs).toISOString() });
  });

  it("is not announced by a run if the host saved it", async () => {
    const { changes } = await announcing([{ ...proposed, awaitedEventId: "evt_1" }, proposed]);
    expect(changes?.audited.map(({ sentByRun }) => sentByRun)).toEqual([false, true]);
  });
});

it.each<ApprovalStatus>(["pending", "approved", "denied", "expired", "withdrawn", "executing", "executed"])(
  "a call that is %s stays as it is",
  async (status) => {
    const { result, changes } = await announcing([{ status }], { rounds: 0 });
    expect(result).toMatchObject([{ status, announcedAt: readPlus(-359_000) }]);
    expect(changes).toMatchObject({ audited: [] });
    expect(changes?.approvals.filter(({ set }) => set)).toEqual([]);
  },
);

describe("the first round", () => {
  const begins = { rounds: 1, settledAt: null };
  const wakes = { ...begins, wakeUp: "queued", retrySeconds: 5 };
  const isOver = readPlus(-1);

  it.each<[string, ApprovalStatus[], Partial<ReturnType<typeof someRequestRow>>, set: object]>([
    ["waits for an open call", ["approved", "pending"], {}, begins],
    ["wakes the run if no call is open", ["approved", "denied"], {}, wakes],
    ["wakes it again if it had settled", ["withdrawn"], { settledAt: isOver }, wakes],
    ["wakes a run without an app", ["approved"], { appId: null }, wakes],
    ["wakes a function without a run", ["approved"], { runId: null }, wakes],
    ["wakes nothing if nothing waits", ["approved"], { runId: null, appId: null }, begins],
  ])("%s", async (_, statuses, request, set) => {
    const calls = statuses.map((status) => ({ status }));
    const { changes } = await announcing(calls, { rounds: 0, ...request });
    expect(changes?.request?.set).toEqual(set);
  });

  it.each([1, 7])("does not begin again after %i rounds", async (rounds) => {
    const request = { rounds, settledAt: isOver };
    expect((await announcing([{ status: "approved" }], request)).changes).toBeUndefined();
    const { changes } = await announcing([proposed], request);
    expect(changes?.approvals).toHaveLength(1);
    expect(changes?.request).toEqual({ id: "req_1", version: "600", set: {} });
  });
});

it("a request that does not exist has no calls", async () => {
  expect(await judged(null, (judging) => announce(judging, "req_1"))).toEqual({ result: [] });
});
