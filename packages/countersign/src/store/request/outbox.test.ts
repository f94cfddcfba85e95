import { describe, expect, it } from "vitest";
import { readAt, readPlus } from "../../testing/some-call-seen.js";
import {
  judged,
  type SomeCall,
  someRequestJson,
  type someRequestRow,
} from "../../testing/some-request-seen.js";
import { expireRequest } from "./outbox.js";

type Request = Partial<ReturnType<typeof someRequestRow>>;

const overdue: SomeCall = { expiresAt: readPlus(-60_000) };
const expired = { status: "expired", finishedAt: readAt };
const queued = { wakeUp: "queued", retrySeconds: 5 };

describe("a request that is overdue", () => {
  it("loses its overdue calls, and its run is woken", async () => {
    const json = someRequestJson([overdue, { status: "approved" }, overdue]);
    const { result, changes } = await judged(json, (judging) => expireRequest(judging, "req_1"));
    expect(result).toBe(2);
    expect(changes?.request?.set).toEqual(queued);
    expect(changes?.approvals).toEqual([
      { id: "apr_1", version: "701", set: expired },
      { id: "apr_3", version: "703", set: expired },
    ]);
    const entry = { tenantId: "acme", type: "approval.expired", notify: ["slack:#finance"] };
    expect(changes?.audited).toEqual([
      { ...entry, approvalId: "apr_1" },
      { ...entry, approvalId: "apr_3" },
    ]);
  });

  it.each<[string, SomeCall[], Request, set: object | undefined]>([
    ["is queued if nothing has expired", [{ status: "approved" }], {}, queued],
    ["is not queued while a call is open", [overdue, {}], {}, {}],
    ["is not queued if it has settled", [overdue], { settledAt: readPlus(-1) }, {}],
    ["is not queued if nothing waits", [overdue], { runId: null, appId: null }, {}],
    ["does not change while it need not", [{}], {}, undefined],
  ])("%s", async (_, calls, request, set) => {
    const json = someRequestJson(calls, request);
    const { result, changes } = await judged(json, (judging) => expireRequest(judging, "req_1"));
    expect(result).toBe(calls.filter(({ expiresAt }) => expiresAt).length);
    expect(changes?.request?.set).toEqual(set);
  });

  it("has no calls if it does not exist", async () => {
    expect(await judged(null, (judging) => expireRequest(judging, "req_1"))).toEqual({ result: 0 });
  });
});

it.each<[string, SomeCall, expires: boolean]>([
  ["exactly at its time", { expiresAt: readAt }, true],
  ["not before", { expiresAt: readPlus(1) }, false],
  ["not without a time", { expiresAt: null }, false],
  ["not while a decision is held", { ...overdue, heldUntil: readPlus(1) }, false],
  ["not before it is announced", { ...overdue, status: "proposed" }, false],
  ["not once it has ended", { ...overdue, status: "approved" }, false],
])("a call expires %s", async (_, call, expires) => {
  const { result, changes } = await judged(someRequestJson([call]), (judging) =>
    expireRequest(judging, "req_1"),
  );
  expect(result).toBe(expires ? 1 : 0);
  expect(changes?.approvals ?? []).toEqual(expires ? [{ id: "apr_1", version: "701", set: expired }] : []);
});
