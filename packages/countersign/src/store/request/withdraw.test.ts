import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import { type ApprovalStatus, approvalStatuses } from "@countersign/policy/internal/shared/approval-status";
import { describe, expect, it } from "vitest";
import type { HandlerKind } from "../../approval/handler-kind.js";
import { readAt, readPlus } from "../../testing/some-call-seen.js";
import {
  judged,
  type SomeCall,
  someRequestJson,
  type someRequestRow,
} from "../../testing/some-request-seen.js";
import { validUntil } from "../changes.js";
import { withdrawEnded, withdrawForgotten, withdrawRequest } from "./withdraw.js";

type Request = Partial<ReturnType<typeof someRequestRow>>;

const ending = (cause: WithdrawalCause, calls: readonly SomeCall[], request: Request = {}) =>
  judged(someRequestJson(calls, request), (judging) => withdrawEnded(judging, "req_1", cause));
const withdrawing = (cause: WithdrawalCause, calls: readonly SomeCall[], request: Request = {}) =>
  judged(someRequestJson(calls, request), (judging) => withdrawRequest(judging, "req_1", cause));
const forgetting = (calls: readonly SomeCall[], request: Request = { rounds: 0 }) =>
  judged(someRequestJson(calls, request), (judging) => withdrawForgotten(judging, "req_1"));

const oneOfEach: SomeCall[] = approvalStatuses.map((status) => ({ status }));
const executing = (handlerKind: HandlerKind | null): SomeCall => ({ status: "executing", handlerKind });

const withdrawn = (withdrawalCause: WithdrawalCause) => ({
  ...{ status: "withdrawn", withdrawalCause, finishedAt: readAt, held: null, heldUntil: null },
});
const interrupted = { status: "interrupted", finishedAt: readAt };
const queued = { wakeUp: "queued", retrySeconds: 5 };
const settled = { settledAt: readAt, wakeUp: "answered" };
const isOver = readPlus(-1_000);
const wakeUp = { requestId: "req_1" };

/** Which calls end, by what they were: `apr_1` was the first of the statuses. */
const endedOf = (changes: Awaited<ReturnType<typeof ending>>["changes"], calls: readonly SomeCall[]) =>
  (changes?.approvals ?? []).map(({ id }) => calls[Number(id.slice("apr_".length)) - 1]?.status);

describe("the calls of a run that has ended", () => {
  it("are withdrawn, each with an entry in their order, and the run is woken", async () => {
    const { result, changes } = await ending("run_cancelled", [{}, { status: "denied" }, { notify: [] }]);
    const entry = { tenantId: "acme", type: "approval.withdrawn", data: { cause: "run_cancelled" } };
    expect(result).toEqual(wakeUp);
    expect(changes).toEqual({
      ...{ tenantId: "acme", judgedAt: readAt, validUntil: validUntil(readAt) },
      request: { id: "req_1", version: "600", set: queued, isComplete: true },
      approvals: [
        { id: "apr_1", version: "701", set: withdrawn("run_cancelled") },
        { id: "apr_3", version: "703", set: withdrawn("run_cancelled") },
      ],
      audited: [
        { ...entry, approvalId: "apr_1", notify: ["slack:#finance"] },
        { ...entry, approvalId: "apr_3", notify: [] },
      ],
    });
  });

  it.each<[WithdrawalCause, ApprovalStatus[]]>([
    ["run_cancelled", ["proposed", "pending", "approved"]],
    ["run_failed", ["proposed", "pending", "approved"]],
    ["run_lost", ["proposed", "pending", "approved"]],
    ["superseded", ["proposed", "pending"]],
  ])("are withdrawn as %s if they are one of %j", async (cause, statuses) => {
    const { changes } = await ending(cause, oneOfEach);
    expect(endedOf(changes, oneOfEach)).toEqual(statuses);
    expect(changes?.approvals.map(({ set }) => set)).toEqual(statuses.map(() => withdrawn(cause)));
  });

  it.each<[WithdrawalCause, HandlerKind[]]>([
    ["run_cancelled", ["durable"]],
    ["run_failed", ["once", "idempotent", "durable"]],
    ["run_lost", ["durable"]],
    ["superseded", []],
  ])("are interrupted as %s if their handlers are one of %j", async (cause, interruptedKinds) => {
    const kinds = ["once", "idempotent", "durable", null] as const;
    const { changes } = await ending(cause, kinds.map(executing));
    const ids = interruptedKinds.map((kind) => `apr_${kinds.indexOf(kind) + 1}`);
    expect(changes?.approvals.map(({ id, set }) => [id, set]) ?? []).toEqual(
      ids.map((id) => [id, interrupted]),
    );
    expect(changes?.audited ?? []).toEqual(
      ids.map((approvalId) => ({
        ...{ tenantId: "acme", approvalId, type: "approval.interrupted", notify: ["slack:#finance"] },
      })),
    );
  });

  it("are interrupted after the others are withdrawn", async () => {
    const { changes } = await ending("run_failed", [executing("once"), {}, executing("durable"), {}]);
    expect(changes?.audited.map(({ approvalId }) => approvalId)).toEqual([
      ...["apr_2", "apr_4"],
      ...["apr_1", "apr_3"],
    ]);
    expect(changes?.approvals.map(({ id }) => id)).toEqual(["apr_1", "apr_2", "apr_3", "apr_4"]);
  });

  it.each<[string, SomeCall]>([
    ["is held", { heldUntil: readPlus(5_000) }],
    ["was held, but has not taken effect", { heldUntil: isOver }],
    ["is overdue", { expiresAt: isOver }],
  ])("are withdrawn if the time of a call %s", async (_, call) => {
    const { changes } = await ending("superseded", [call]);
    expect(changes?.approvals).toEqual([{ id: "apr_1", version: "701", set: withdrawn("superseded") }]);
    expect(changes?.audited.map(({ type }) => type)).toEqual(["approval.withdrawn"]);
  });
});

describe("the run of a request that has ended", () => {
  const causes = ["run_cancelled", "run_failed", "superseded"] as const;

  it.each<[string, Request, woken: object | undefined, set: object]>([
    ["is woken if it waits", {}, wakeUp, queued],
    ["is woken if it waits for the third time", { rounds: 3 }, wakeUp, queued],
    ["is woken if it is a function without a run", { runId: null }, wakeUp, queued],
    ["is not woken if it knows already", { settledAt: isOver }, undefined, {}],
    ["is not woken if nothing waits", { runId: null, appId: null }, undefined, {}],
    [
      "is not woken, but finds nothing to wait for, if it has not begun to",
      { rounds: 0 },
      undefined,
      settled,
    ],
  ])("%s", async (_, request, woken, set) => {
    for (const cause of causes) {
      const { result, changes } = await ending(cause, [{}], request);
      expect(result).toEqual(woken);
      expect(changes?.request).toEqual({ id: "req_1", version: "600", set, isComplete: true });
    }
  });

  it.each<[string, Request, woken: object | undefined, set: object]>([
    ["is woken once", {}, wakeUp, settled],
    ["is woken once if it waits for the third time", { rounds: 3 }, wakeUp, settled],
    ["is not woken if it knows already", { settledAt: isOver }, undefined, {}],
    ["is not woken if it has not begun to wait", { rounds: 0 }, undefined, settled],
  ])("%s if it is lost", async (_, request, woken, set) => {
    const { result, changes } = await ending("run_lost", [{}], request);
    expect(result).toEqual(woken);
    expect(changes?.request?.set).toEqual(set);
  });

  it("is woken again if all calls had ended before, but it has not answered", async () => {
    const { result, changes } = await ending("run_cancelled", [{ status: "withdrawn" }]);
    expect(result).toEqual(wakeUp);
    expect(changes).toMatchObject({ request: { set: queued }, approvals: [], audited: [] });
    expect(changes?.request).not.toHaveProperty("isComplete");
  });

  it.each<WithdrawalCause>([...causes, "run_lost"])(
    "changes nothing if all had ended and it knows: %s",
    async (cause) => {
      const calls: SomeCall[] = [{ status: "executed" }, executing(null), { status: "withdrawn" }];
      expect(await ending(cause, calls, { settledAt: isOver })).toEqual({ result: undefined });
    },
  );

  it("need not have a request", async () => {
    const nothing = await judged(null, (judging) => withdrawEnded(judging, "req_1", "run_lost"));
    expect(nothing).toEqual({ result: undefined });
  });
});

describe("a request that is withdrawn", () => {
  it.each<[WithdrawalCause, ApprovalStatus[]]>([
    ["digest_changed", ["proposed", "pending", "approved"]],
    ["policy_changed", ["proposed", "pending", "approved"]],
    ["tool_changed", ["proposed", "pending", "approved"]],
    ["orchestration_failed", ["proposed", "pending"]],
    ["run_cancelled", ["proposed", "pending"]],
    ["asker_gone", ["proposed", "pending"]],
    ["superseded", ["proposed", "pending"]],
  ])("as %s loses the calls that are one of %j", async (cause, statuses) => {
    const { changes } = await withdrawing(cause, oneOfEach);
    expect(endedOf(changes, oneOfEach)).toEqual(statuses);
    expect(changes?.approvals.map(({ set }) => set)).toEqual(statuses.map(() => withdrawn(cause)));
    expect(changes?.audited.map(({ type, data }) => [type, data])).toEqual(
      statuses.map(() => ["approval.withdrawn", { cause }]),
    );
  });

  it.each<Request>([{}, { rounds: 0 }, { rounds: 3 }])("settles: %j", async (request) => {
    const { result, changes } = await withdrawing(
      "orchestration_failed",
      [{ status: "approved" }, {}],
      request,
    );
    expect(result).toMatchObject({
      ...{ open: 0, nextDeadlineMs: 0, settled: true },
      approvals: [{ status: "approved" }, { status: "withdrawn", withdrawalCause: "orchestration_failed" }],
    });
    expect(changes?.request).toEqual({ id: "req_1", version: "600", set: settled, isComplete: true });
  });

  it("has no call if it does not exist", async () => {
    expect(await judged(null, (judging) => withdrawRequest(judging, "req_1", "digest_changed"))).toEqual({
      result: { approvals: [], open: 0, nextDeadlineMs: 0, settled: true },
    });
  });
});

describe("a request that no run has announced", () => {
  it("loses its proposed calls, and settles", async () => {
    const calls: SomeCall[] = [{ status: "approved" }, { status: "proposed" }, { status: "proposed" }];
    const { changes } = await forgetting(calls);
    expect(changes).toMatchObject({
      request: { id: "req_1", version: "600", set: settled, isComplete: true },
      approvals: [
        { id: "apr_2", set: withdrawn("run_lost") },
        { id: "apr_3", set: withdrawn("run_lost") },
      ],
      audited: [
        { approvalId: "apr_2", type: "approval.withdrawn", data: { cause: "run_lost" } },
        { approvalId: "apr_3", type: "approval.withdrawn", data: { cause: "run_lost" } },
      ],
    });
    expect(changes?.approvals).toHaveLength(2);
  });

  it("does not settle while somebody may decide", async () => {
    const { changes } = await forgetting([{ status: "proposed" }, {}]);
    expect(endedOf(changes, [{ status: "proposed" }])).toEqual(["proposed"]);
    expect(changes?.request).toEqual({ id: "req_1", version: "600", set: {}, isComplete: false });
  });

  it("stays as it is if a run has come after all", async () => {
    expect(await forgetting([{ status: "proposed" }, {}], { rounds: 1 })).toEqual({ result: undefined });
  });

  it("need not be there any more", async () => {
    const gone = await judged(null, (judging) => withdrawForgotten(judging, "req_1"));
    expect(gone).toEqual({ result: undefined });
  });
});
