// The flow of the proposal "ADR 012: UI-based tool confirmation": the call waits for a person, and once it is confirmed,
// its safety checks run, and then the tool. Here the checks also run before anyone is asked, so that people see the results.
import { allow, definePolicy, durable, idempotent } from "countersign";
import { afterEach, describe, expect, it } from "vitest";
import {
  endedAfterRetries,
  file,
  openWorkspace,
  passed,
  resultOf,
  type Wrap,
  workspace,
} from "../support/checked-workspace.js";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";

const crashPoint = Symbol.for("countersign:crash-point");

afterEach(() => {
  Reflect.deleteProperty(globalThis, crashPoint);
});

/** Fails the first step that reaches this point, as if its process had died there. */
function crashOnceAt(point: string) {
  let crashed = false;
  Reflect.set(globalThis, crashPoint, (name: string) => {
    if (name !== point || crashed) return;
    crashed = true;
    throw new Error(`The process ended at ${point}`);
  });
  return () => crashed;
}

describe("a tool with safety checks", () => {
  it.each([
    ["plain", (tool) => tool],
    ["idempotent", idempotent],
    ["durable", durable],
  ] satisfies [string, Wrap][])(
    "that is %s shows their results, and runs once if they still pass after the confirmation",
    async (_kind, kind) => {
      await using database = await freshPostgres();
      const desk = workspace(kind);
      await using harness = await openWorkspace(desk, { database });
      const { runId, threadId } = await harness.say("Write 'hello' to test.txt");
      const approval = await harness.onlyPending();
      expect(approval.checks).toEqual(passed);
      expect(desk.moments()).toEqual(["proposal", "proposal"]);
      expect(desk.written).toEqual([]);
      await harness.decide(approval, "approve");
      await harness.ended(runId);
      expect(desk.written).toEqual([file]);
      expect(desk.moments()).toEqual(["proposal", "proposal", "start", "start"]);
      const asker = {
        tenantId: "acme",
        toolName: "write_file",
        threadId,
        requester: expect.objectContaining({ id: "requester" }),
      };
      expect(desk.checked[0]?.context).toMatchObject({ ...asker, approvalId: null });
      expect(desk.checked[3]?.context).toMatchObject({ ...asker, approvalId: approval.id });
      expect(await harness.approval(approval.id)).toMatchObject({ status: "executed", checks: passed });
    },
  );

  it("withdraws the confirmed call if one fails right before the start, and tells the model which and why", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    await using harness = await openWorkspace(desk, { database });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    const approval = await harness.onlyPending();
    desk.disk.free = 0;
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(desk.written).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "withdrawn",
      withdrawalCause: "check_failed",
    });
    expect(resultOf(harness)).toContain("check_failed");
    expect(resultOf(harness)).toContain(
      `its safety check \\\\\\"disk space\\\\\\" failed right before the start`,
    );
    expect(resultOf(harness)).toContain("The check says: 0 MB are free.");
    const log = await harness.store.listAudit({ tenantId: "acme" });
    expect(log.filter(({ type }) => type === "approval.withdrawn")).toMatchObject([
      { approvalId: approval.id, data: { cause: "check_failed", field: "disk space" } },
    ]);
  });
});

describe("safety checks", () => {
  it("that fail at the proposal are shown to people and refuse nothing", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    desk.disk.free = 0;
    await using harness = await openWorkspace(desk, { database });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    const approval = await harness.onlyPending();
    expect(approval.checks[0]).toEqual({ name: "disk space", ok: false, message: "0 MB are free" });
    desk.disk.free = 7;
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(desk.written).toEqual([file]);
  });

  it("run with the edited arguments, and withdraw the call if those fail", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    await using harness = await openWorkspace(desk, { database });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    const approval = await harness.onlyPending();
    const edit = { type: "edit", digest: approval.digest, input: { ...file, path: "/etc/passwd" } };
    const path = `/approvals/${approval.id}/decision`;
    expect((await harness.call("finance", path, { method: "POST", body: edit })).status).toBe(200);
    await harness.ended(runId);
    expect(desk.written).toEqual([]);
    expect(desk.checked.map(({ path }) => path).filter(Boolean)).toEqual(["test.txt", "/etc/passwd"]);
    expect(await harness.approval(approval.id)).toMatchObject({ withdrawalCause: "check_failed" });
    expect(resultOf(harness)).toContain("The check says: /etc/passwd is outside.");
  });

  it("that throw count as failed at both moments and reveal nothing of the error", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    desk.disk.broken = true;
    const log: unknown[][] = [];
    const note = (...words: unknown[]) => void log.push(words);
    const logger = { info: note, warn: note, error: note };
    await using harness = await openWorkspace(desk, { database, countersign: { logger } });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    const approval = await harness.onlyPending();
    expect(approval.checks[0]).toEqual({ name: "disk space", ok: false, message: "Could not be checked" });
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(desk.written).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject({ withdrawalCause: "check_failed" });
    expect(resultOf(harness)).toContain("The check says: Could not be checked.");
    const words = 'The safety check "disk space" of write_file threw (Error), so it counts as failed';
    expect(log.map(([first]) => first)).toEqual([words, words]);
    expect(JSON.stringify([harness.model.requests, log])).not.toContain("hunter2");
  });

  it("run once at each moment, whatever is replayed", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    await using harness = await openWorkspace(desk, { database, replaying: "each-planned-step" });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    await harness.decide(await harness.onlyPending(), "approve");
    await harness.ended(runId);
    expect(desk.moments()).toEqual(["proposal", "proposal", "start", "start"]);
  });

  it("do not run again if the proposing step is retried, and people see the first results", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const crashed = crashOnceAt("after-propose");
    await using harness = await openWorkspace(desk, { database });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    await harness.onceAtRest(() => Promise.resolve(crashed() || undefined), "the step has crashed");
    desk.disk.free = 1;
    await harness.clock.advance("5m");
    const approval = await harness.onlyPending();
    expect(approval.checks).toEqual(passed);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(desk.written).toEqual([file]);
    expect(desk.moments()).toEqual(["proposal", "proposal", "start", "start"]);
  });

  it.each([
    ["an idempotent call", idempotent, "after-claim", 1],
    ["a durable call", durable, "after-durable-claim", 1],
    ["a plain call", (tool) => tool, "after-claim", 0],
  ] satisfies [string, Wrap, string, number][])(
    "do not run again for %s that crashed after its start",
    async (_what, kind, point, starts) => {
      await using database = await freshPostgres();
      const desk = workspace(kind);
      await using harness = await openWorkspace(desk, { database });
      const { runId } = await harness.say("Write 'hello' to test.txt");
      const approval = await harness.onlyPending();
      crashOnceAt(point);
      await harness.decide(approval, "approve");
      await endedAfterRetries(harness, runId);
      expect(desk.moments()).toEqual(["proposal", "proposal", "start", "start"]);
      expect(desk.written).toHaveLength(starts);
    },
  );
});

describe("a call that the policy allows", () => {
  it.each(["each-planned-step", undefined] as const)(
    "runs only if the checks of its tool pass, which run once (replaying %s)",
    async (replaying) => {
      await using database = await freshPostgres();
      const desk = workspace();
      const outside = { name: "write_file", input: { ...file, path: "/etc/passwd" } };
      const inside = { name: "write_file", input: file };
      await using harness = await openWorkspace(desk, {
        database,
        policy: definePolicy({ tools: { write_file: allow() } }),
        reply: inTurns({ toolCalls: [outside] }, { toolCalls: [inside] }),
        ...(replaying && { replaying }),
      });
      const { runId } = await harness.say("Write both files");
      await harness.ended(runId);
      // AgentKit enters the handler of an allowed call again on each replay.
      expect(new Set(desk.written.map((input) => JSON.stringify(input)))).toEqual(
        new Set([JSON.stringify(file)]),
      );
      expect(desk.moments()).toEqual(["start", "start", "start", "start"]);
      expect(resultOf(harness)).toContain("The check says: /etc/passwd is outside.");
      const log = await harness.store.listAudit({ tenantId: "acme" });
      expect(log.filter(({ type }) => type === "call.refused")).toMatchObject([
        { data: { code: "check_failed", field: "inside the workspace", runId } },
      ]);
    },
  );
});
