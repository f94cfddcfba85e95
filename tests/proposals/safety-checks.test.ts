// The flow of the proposal "ADR 012: UI-based tool confirmation": the call waits for a person, and once it is confirmed,
// its safety checks run, and then the tool. Here the checks also run before anyone is asked, so that people see the results.
import { createTool } from "@inngest/agent-kit";
import {
  allow,
  ask,
  type CheckContext,
  definePolicy,
  durable,
  idempotent,
  notify,
  withChecks,
} from "countersign";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { runSql } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { type Harness, openHarness } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { recordingChannel } from "../support/recording-channel.js";
import { replaceable } from "../support/replaceable-policy.js";

const crashPoint = Symbol.for("countersign:crash-point");
const file = { path: "test.txt", content: "hello" };

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

type Wrap = <T extends ReturnType<typeof createTool>>(tool: T) => T;

/** The tool `write_file` with two checks. `disk` is what the checks look at, and `checked` is each of their runs. */
function workspace(kind: Wrap = (tool) => tool) {
  const written: unknown[] = [];
  const checked: { name: string; path: unknown; context: CheckContext }[] = [];
  const disk = { free: 100, broken: false };
  const isDurable = kind === durable;
  const writeFile = withChecks(
    kind(
      createTool({
        name: "write_file",
        description: "Write a text file",
        parameters: z.object({ path: z.string(), content: z.string() }),
        // Outside of a step, a durable handler would run again on each replay.
        handler: (input, { step }) => {
          const write = () => written.push(input);
          return isDurable ? step?.run("write", write) : write();
        },
      }),
    ),
    [
      {
        name: "inside the workspace",
        run: ({ path }, context) => {
          checked.push({ name: "inside the workspace", path, context });
          return path.startsWith("/") ? { ok: false, message: `${path} is outside` } : true;
        },
      },
      {
        name: "disk space",
        run: async (_input, context) => {
          checked.push({ name: "disk space", path: undefined, context });
          if (disk.broken) throw new Error("mount //nas password=hunter2 failed");
          return { ok: disk.free > 0, message: `${disk.free} MB are free` };
        },
      },
    ],
  );
  const moments = () => checked.map(({ context }) => context.moment);
  return { writeFile, written, checked, disk, moments };
}

const confirm = definePolicy({ tools: { write_file: ask({ editable: ["path"] }) } });
const passed = [
  { name: "disk space", ok: true, message: "100 MB are free" },
  { name: "inside the workspace", ok: true, message: null },
];

async function open(
  desk: ReturnType<typeof workspace>,
  options: Partial<HarnessOptions> & Pick<HarnessOptions, "database">,
  input: object = file,
) {
  const harness = await openHarness({
    tools: [desk.writeFile],
    policy: confirm,
    reply: inTurns({ toolCalls: [{ name: "write_file", input }] }),
    ...options,
  });
  return harness;
}

/** What the model reads as the result of its last call. */
function resultOf(harness: Harness): string {
  return JSON.stringify(harness.model.requests.at(-1)?.body);
}

/** Waits for the end of a run whose steps are tried again. */
function endedAfterRetries(harness: Harness, runId: string, status = "Completed") {
  return harness.onceAtRest(async () => {
    await harness.clock.advance("1m");
    const run = await harness.runStatus(runId);
    return run.status === status ? run : undefined;
  }, `run ${status}`);
}

describe.each([
  ["plain", (tool) => tool],
  ["idempotent", idempotent],
  ["durable", durable],
] satisfies [string, Wrap][])("a %s tool with safety checks", (_kind, kind) => {
  it("shows their results, and runs once if they still pass after the confirmation", async () => {
    await using database = await freshPostgres();
    const desk = workspace(kind);
    await using harness = await open(desk, { database });
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
  });

  it("withdraws the confirmed call if one fails right before the start, and tells the model which and why", async () => {
    await using database = await freshPostgres();
    const desk = workspace(kind);
    await using harness = await open(desk, { database });
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
    await using harness = await open(desk, { database });
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
    await using harness = await open(desk, { database });
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
    await using harness = await open(desk, { database, countersign: { logger } });
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

  it.each(["each-step", "each-planned-step"] as const)(
    "run once at each moment, replaying %s",
    async (replaying) => {
      await using database = await freshPostgres();
      const desk = workspace();
      await using harness = await open(desk, { database, replaying });
      const { runId } = await harness.say("Write 'hello' to test.txt");
      await harness.decide(await harness.onlyPending(), "approve");
      await harness.ended(runId);
      expect(desk.moments()).toEqual(["proposal", "proposal", "start", "start"]);
    },
  );

  it("do not run again if the proposing step is retried, and people see the first results", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const crashed = crashOnceAt("after-propose");
    await using harness = await open(desk, { database });
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
      await using harness = await open(desk, { database });
      const { runId } = await harness.say("Write 'hello' to test.txt");
      const approval = await harness.onlyPending();
      crashOnceAt(point);
      await harness.decide(approval, "approve");
      await endedAfterRetries(harness, runId);
      expect(desk.moments()).toEqual(["proposal", "proposal", "start", "start"]);
      expect(desk.written).toHaveLength(starts);
    },
  );

  it("of the tool and of all matching rules apply together, each once", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const noted: string[] = [];
    const note = (name: string) => ({ name, run: () => noted.push(name) > 0 });
    const [hours, owner] = [note("office hours"), note("owner")];
    const policy = definePolicy({
      tools: {
        write_file: ask({ checks: [hours, owner] }),
        "write_*": () => ask({ checks: [owner] }),
        "*": notify({ checks: [note("known tool")] }),
      },
    });
    await using harness = await open(desk, { database, policy });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    const approval = await harness.onlyPending();
    const names = ["disk space", "inside the workspace", "known tool", "office hours", "owner"];
    expect(approval.checks.map(({ name }) => name)).toEqual(names);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(desk.written).toEqual([file]);
    expect(noted.sort()).toEqual([...names.slice(2), ...names.slice(2)].sort());
  });

  it("that a later policy adds run before the start, and those it removes do not", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const { writeFile } = desk;
    const old = { name: "old", run: (_input: object, { moment }: CheckContext) => moment === "proposal" };
    const added = { name: "added", run: () => ({ ok: false, message: "Not on Fridays" }) };
    const before = definePolicy({ tools: { write_file: ask({ checks: [old] }) } });
    await using harness = await open(desk, { database, policy: before });
    const first = await harness.say("Write 'hello' to test.txt");
    const approval = await harness.onlyPending();
    harness.redeploy({ policy: confirm });
    await harness.decide(approval, "approve");
    await harness.ended(first.runId);
    expect(desk.written).toEqual([file]);

    const second = await harness.say("Write 'hello' to test.txt");
    const next = await harness.onlyPending();
    harness.redeploy({ policy: definePolicy({ tools: { [writeFile.name]: ask({ checks: [added] }) } }) });
    await harness.decide(next, "approve");
    await harness.ended(second.runId);
    expect(desk.written).toEqual([file]);
    expect(await harness.approval(next.id)).toMatchObject({ withdrawalCause: "check_failed" });
    expect(resultOf(harness)).toContain("Not on Fridays");
  });

  it("that a policy adds between the checks and the claim withdraw the call, because nobody has run them", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const { policy, redeploy } = replaceable(confirm);
    const ran: string[] = [];
    const late = { name: "late", run: () => ran.push("late") > 0 };
    await using harness = await open(desk, {
      database,
      policy,
      between: (store) =>
        interceptedStore(store, {
          claim: (carryOut, ...args) => {
            redeploy(definePolicy({ tools: { write_file: ask({ editable: ["path"], checks: [late] }) } }));
            return carryOut(...args);
          },
        }),
    });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    const approval = await harness.onlyPending();
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect([desk.written, ran]).toEqual([[], []]);
    expect(await harness.approval(approval.id)).toMatchObject({ withdrawalCause: "policy_changed" });
  });

  it("hide in their messages what the rule hides in the arguments", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const leak = {
      name: "content",
      run: (input: Record<string, unknown>) => ({ ok: true, message: `${input.content} of jo@example.com` }),
    };
    const policy = definePolicy({
      tools: { write_file: ask({ redact: ["content"], redactPatterns: ["email"], checks: [leak] }) },
    });
    const secret = { path: "test.txt", content: "swordfish" };
    await using harness = await open(desk, { database, policy }, secret);
    await harness.say("Write it");
    const approval = await harness.onlyPending();
    expect(approval.checks[0]).toEqual({ name: "content", ok: true, message: "[hidden] of [hidden]" });
  });

  it("are on the cards of channels, failed ones first, with characters that nobody sees made visible", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const { channel, sent } = recordingChannel();
    const sly = { name: "sly", run: () => ({ ok: false, message: "no\ndisk space: fine\u202e" }) };
    await using harness = await open(desk, {
      database,
      policy: definePolicy({ tools: { write_file: ask({ notify: ["test"], checks: [sly] }) } }),
      countersign: { channels: [channel] },
    });
    await harness.say("Write 'hello' to test.txt");
    const delivery = await harness.onceAtRest(() => Promise.resolve(sent[0]), "a card is sent");
    expect(delivery.card.checks).toEqual([
      { ok: false, text: "sly: no⏎disk space: fine⟨U+202E⟩" },
      { ok: true, text: "disk space: 100 MB are free" },
      { ok: true, text: "inside the workspace" },
    ]);
  });

  it("cannot be changed in the database: their results are in the digest", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    desk.disk.free = 0;
    await using harness = await open(desk, { database });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    const approval = await harness.onlyPending();
    await runSql(
      database,
      `update countersign.approvals set terms = jsonb_set(terms, '{checks,0,ok}', 'true') where id = $1`,
      [approval.id],
    );
    const forged = await harness.approval(approval.id);
    expect(forged.checks[0]?.ok).toBe(true);
    await harness.decide(forged, "approve");
    desk.disk.free = 5;
    await harness.ended(runId);
    expect(desk.written).toEqual([]);
    expect(await harness.approval(approval.id)).toMatchObject({ withdrawalCause: "digest_changed" });
  });
});

describe("a call that the policy allows", () => {
  it.each(["each-step", "each-planned-step", undefined] as const)(
    "runs only if the checks of its tool pass, which run once (replaying %s)",
    async (replaying) => {
      await using database = await freshPostgres();
      const desk = workspace();
      const outside = { name: "write_file", input: { ...file, path: "/etc/passwd" } };
      const inside = { name: "write_file", input: file };
      await using harness = await open(desk, {
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

describe("two different checks with one name", () => {
  const one = { name: "balance", run: () => true };
  const other = { name: "balance", run: () => true };

  it("in one rule or one tool are an error that names it", () => {
    const words = 'two different checks are named "balance"';
    expect(() => definePolicy({ tools: { pay: ask({ checks: [one, other] }) } })).toThrow(words);
    expect(() => withChecks(createTool({ name: "pay", handler: () => 1 }), [one, other])).toThrow(words);
    const pay = withChecks(createTool({ name: "pay", handler: () => 1 }), [one]);
    expect(() => withChecks(pay, [other])).toThrow(words);
  });

  it("of a tool and its rule fail the run with an error that names it, and ask nobody", async () => {
    await using database = await freshPostgres();
    const desk = workspace();
    const policy = definePolicy({
      tools: { write_file: ask({ checks: [{ name: "disk space", run: () => true }] }) },
    });
    await using harness = await open(desk, { database, policy });
    const { runId } = await harness.say("Write 'hello' to test.txt");
    const { output } = await endedAfterRetries(harness, runId, "Failed");
    expect(JSON.stringify(output)).toContain(
      'Two different safety checks of \\"write_file\\" are named \\"disk space\\"',
    );
    expect(desk.checked).toEqual([]);
  });
});

describe("safety checks of a program's call", () => {
  const agent = { id: "agent", tenantId: "acme", roles: ["agent"] };
  const deploy = { principal: agent, toolName: "deploy", input: { service: "web" } };

  it("run when it is requested and when its approval is used", async () => {
    await using database = await freshPostgres();
    const state = { green: true };
    const moments: string[] = [];
    const tests = {
      name: "tests",
      run: (_input: object, { moment }: CheckContext) => {
        moments.push(moment);
        return state.green || { ok: false, message: "3 tests fail" };
      },
    };
    const policy = definePolicy({ tools: { deploy: ask({ checks: [tests] }) } });
    await using harness = await openHarness({ database, tools: [], policy, reply: () => ({ text: "" }) });
    const { externalCalls } = harness.countersign;
    const request = async () => {
      const asked = await externalCalls.request(deploy);
      if (asked.status !== "pending") throw new Error(`It is ${asked.status}`);
      const approval = await harness.approval(asked.approvalId);
      expect(approval.checks).toEqual([{ name: "tests", ok: true, message: null }]);
      await harness.decide(approval, "approve");
      return { ...deploy, approvalId: asked.approvalId };
    };
    expect(await externalCalls.use(await request())).toMatchObject({ go: true });
    const second = await request();
    state.green = false;
    const refused = await externalCalls.use(second);
    expect(refused).toMatchObject({
      go: false,
      outcome: {
        status: "refused",
        refusal: { code: "check_failed", message: expect.stringContaining("3 tests fail") },
      },
    });
    expect(await harness.approval(second.approvalId)).toMatchObject({ withdrawalCause: "check_failed" });
    // A call that is over is not checked again.
    expect(await externalCalls.use(second)).toMatchObject({ go: false, outcome: { status: "refused" } });
    expect(moments).toEqual(["proposal", "start", "proposal", "start"]);
  });
});
