import { describe, expect, it } from "vitest";
import type { Approval } from "../../approval/approval.js";
import { saltedHash } from "../../evidence/salted-hash.js";
import { someApproval } from "../../testing/some-approval.js";
import { readAt, readPlus, rowOf, someCallSeen } from "../../testing/some-call-seen.js";
import type { CallSeen, SeenUndone } from "../call-seen.js";
import { validUntil } from "../changes.js";
import type { CallEnd } from "../ports/approval-port.js";
import { endOfClaimed, judgeFinish } from "./finish.js";
import { moved } from "./moved.js";

const started = {
  ...{ status: "executing", startedAt: readPlus(-30_000), startedBy: "run_1", handlerKind: "once" },
  notify: ["slack:#finance"],
} satisfies Partial<Approval>;
const executing = someApproval(started);
const { digest } = executing;
const outcomeJson = '{"status":"executed","value":1}';
const outcomeHash = saltedHash(executing, outcomeJson);
const executed: CallEnd = { status: "executed", outcomeJson, outcomeToken: "a.b.c" };
const failed: CallEnd = { status: "failed", outcomeJson };
const interrupted = (...by: [startedBy?: string | null]): CallEnd => ({
  status: "interrupted",
  ...(by.length > 0 && { startedBy: by[0] ?? null }),
});

const entryOf = (status: string, data: object) => ({
  ...{ tenantId: "acme", approvalId: "apr_1", type: `approval.${status}` },
  ...{ notify: ["slack:#finance"], data },
});

describe("a call that ends", () => {
  it.each<[string, CallEnd, set: object, data: object]>([
    ["was executed", executed, { outcomeJson, outcomeToken: "a.b.c" }, { digest, outcomeHash }],
    ["failed, unsigned", failed, { outcomeJson, outcomeToken: null }, { digest, outcomeHash }],
    ["was interrupted by its run", interrupted("run_1"), {}, { digest }],
  ])("%s", (_, end, written, data) => {
    const set = { ...written, status: end.status, finishedAt: readAt };
    expect(judgeFinish(someCallSeen(executing), end)).toEqual({
      result: { ...executing, ...set },
      changes: {
        ...{ tenantId: "acme", judgedAt: readAt, validUntil: validUntil(readAt) },
        approvals: [{ id: "apr_1", version: "700", set }],
        audited: [entryOf(end.status, data)],
      },
    });
  });

  it.each<[string, boolean, string | null, CallEnd]>([
    ["its run", true, "run_1", interrupted("run_1")],
    ["another run", false, "run_1", interrupted("run_2")],
    ["nobody", false, "run_1", interrupted(null)],
    ["nobody, by default,", false, "run_1", interrupted()],
    ["a run, though no run started it,", true, null, interrupted("run_2")],
    ["nobody, if no run started it,", true, null, interrupted()],
    ["somebody who knows how it ended", true, "run_1", executed],
  ])("%s may end it: %s", (_, ends, startedBy, end) => {
    const approval = someApproval({ ...started, startedBy });
    const { result, changes } = judgeFinish(someCallSeen(approval), end);
    expect(result?.status).toBe(ends ? end.status : "executing");
    expect(changes?.approvals.length).toBe(ends ? 1 : undefined);
  });

  it.each(["approved", "executed", "failed", "interrupted", "withdrawn"] as const)(
    "does not end if it is %s",
    (status) => {
      const approval = someApproval({ ...started, status });
      for (const end of [executed, failed, interrupted("run_1")]) {
        expect(judgeFinish(someCallSeen(approval), end)).toEqual({ result: approval });
      }
    },
  );
});

it("a call that does not exist has no end", () => {
  expect(judgeFinish(undefined, executed)).toEqual({ result: undefined });
});

it.each([
  ["pending", "executing"],
  ["approved", "executed"],
  ["executing", "withdrawn"],
  ["executed", "failed"],
] as const)("a call that is %s cannot become %s", (from, to) => {
  const seen = someCallSeen(someApproval({ status: from }));
  expect(() => moved(seen, to)).toThrow(`A call that is ${from} cannot become ${to}`);
});

const undoes = {
  approvalId: "apr_0",
  outcomeHash: "c".repeat(64),
  askedBy: "eve",
  reason: null,
  after: null,
};
const undo = someApproval(started, { undoes });
const call = someApproval({ id: "apr_0", status: "executed", undoId: "apr_1", notify: ["email"] });

describe("an undo that ends", () => {
  const undoneBy = (parts: Partial<SeenUndone["row"]>, end: CallEnd = executed) => {
    const undone = { row: { ...rowOf(call), ...parts }, version: "800", trail: [], undos: [] };
    return judgeFinish(someCallSeen(undo, { undone }), end).changes;
  };
  const types = (changes: ReturnType<typeof undoneBy>) => changes?.audited.map(({ type }) => type);

  it("marks the call that it undoes", () => {
    const changes = undoneBy({});
    const set = { undoneAt: readAt };
    expect(changes?.approvals).toMatchObject([{ id: "apr_1" }, { id: "apr_0", version: "800", set }]);
    expect(changes?.approvals[1]?.set).toEqual(set);
    expect(types(changes)).toEqual(["approval.executed", "call.undone"]);
    expect(changes?.audited[1]).toEqual({
      ...{ tenantId: "acme", approvalId: "apr_0", type: "call.undone", notify: ["email"] },
      ...{ actorId: "eve", data: { undoId: "apr_1" } },
    });
  });

  it.each<[string, Partial<SeenUndone["row"]>, CallEnd]>([
    ["another call is its undo", { undoId: "apr_2" }, executed],
    ["it has no undo", { undoId: null }, executed],
    ["it was undone already", { undoneAt: readPlus(-1) }, executed],
    ["the undo failed", {}, failed],
    ["the undo was interrupted", {}, interrupted("run_1")],
  ])("does not mark that call if %s", (_, parts, end) => {
    const changes = undoneBy(parts, end);
    expect(changes?.approvals).toMatchObject([{ id: "apr_1", set: { status: end.status } }]);
    expect(types(changes)).toEqual([`approval.${end.status}`]);
  });

  it("ends alone if that call is gone", () => {
    expect(judgeFinish(someCallSeen(undo), executed).changes?.approvals).toHaveLength(1);
  });
});

describe("the end of a call that was just claimed", () => {
  it.each([executed, failed])("is written if the call is still executing: $status", (end) => {
    const guess = endOfClaimed(executing, end);
    const seen: CallSeen = someCallSeen(executing);
    const judged = judgeFinish(seen, end);
    const [change] = judged.changes?.approvals ?? [];
    expect(guess?.changes).toEqual({
      tenantId: "acme",
      approvals: [{ id: "apr_1", status: "executing", set: { ...change?.set, finishedAt: "now" } }],
      audited: judged.changes?.audited,
    });
    expect(guess?.written(readAt)).toEqual(judged.result);
  });

  it.each<[string, typeof executing, CallEnd]>([
    ["an interruption", executing, interrupted("run_1")],
    ["an undo", undo, executed],
  ])("is read first for %s", (_, claimed, end) => {
    expect(endOfClaimed(claimed, end)).toBeUndefined();
  });
});
