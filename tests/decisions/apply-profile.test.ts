import { createTestHarness, type HarnessParts } from "@countersign/testing";
import { allow, ask, definePolicy, deny, manual, notify, ToolCallDeniedError } from "countersign";
import { describe, expect, expectTypeOf, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { openHarness } from "../support/harness.js";
import type { HarnessOptions, RunWorld } from "../support/harness-options.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { stopCalls } from "../support/stops.js";

const policy = definePolicy({
  tools: {},
  profiles: {
    supervised: {
      tools: {
        read_file: { kind: "allow" },
        write_file: ask({
          summary: "Write {{path}}",
          approvers: { roles: ["finance"] },
          editable: ["text"],
          redact: ["token"],
        }),
        log: notify(),
        rename: manual(),
        delete_file: deny("Files stay"),
      },
    },
  },
});
const options = { profile: "supervised", requester: { id: "requester" }, threadId: "thread-1" };

interface Write {
  path: string;
  text: string;
  token?: string;
}

/** Functions that record what they are called with. */
function files() {
  const calls: [name: string, input: object][] = [];
  const record = (name: string) => (input: Record<string, unknown>) => {
    calls.push([name, input]);
    return `${name} ${calls.length}`;
  };
  const fns = {
    read_file: record("read_file"),
    write_file: async (input: Write) => {
      calls.push(["write_file", input]);
      if (input.path === "full") throw new RangeError("The disk is full");
      return { written: input.text.length };
    },
    log: record("log"),
    rename: record("rename"),
    delete_file: record("delete_file"),
    unlisted: record("unlisted"),
  };
  return { fns, calls };
}

/** A harness whose run is `body`. Its result, and an error as plain data, are the run's output. */
async function openFiles(
  body: (tools: ReturnType<typeof gate>, world: RunWorld) => Promise<unknown>,
  how: Pick<HarnessOptions, "replaying" | "checkpointing" | "between"> = {},
  judging = policy,
) {
  const database = await freshPostgres();
  const { fns, calls } = files();
  const harness = await openHarness({
    ...{ database, policy: judging, tools: [], reply: () => ({ text: "unused" }), ...how },
    run: (world) => body(gate(world, fns), world).catch(asData),
  });
  return {
    harness,
    calls,
    callsOf: (wanted: string) => calls.filter(([name]) => name === wanted),
    async outputOf(runId: string) {
      await harness.ended(runId);
      return (await harness.runStatus(runId)).output;
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const gate = ({ countersign }: Pick<RunWorld, "countersign">, { read_file, ...fns } = files().fns) =>
  countersign.applyProfile({ read_file, ...fns }, options);

const asData = (error: Error & { code?: string }) =>
  ToolCallDeniedError.isInstance(error)
    ? { denied: error.reason, toolName: error.toolName, message: error.message, id: error.approvalId }
    : { name: error.name, code: error.code, message: error.message };

describe("functions under a profile", () => {
  it("run if the profile allows them, and wait for a person if it asks", async () => {
    await using world = await openFiles(async (tools) => {
      const read = await tools.read_file({ path: "a" });
      const { written } = await tools.write_file({ path: "a", text: "hello", token: "s3cret" });
      return { read: read.split(" ")[0], written };
    });
    const { runId } = await world.harness.say("go");
    const call = await world.harness.onlyPending();
    expect(call).toMatchObject({
      ...{ toolName: "write_file", summary: "Write a", requesterId: "requester", threadId: "thread-1" },
      ...{ input: { path: "a", text: "hello", token: "[hidden]" }, agentName: null, runId },
    });
    expect(world.callsOf("write_file")).toEqual([]);
    await world.harness.decide(call, "approve");
    expect(await world.outputOf(runId)).toEqual({ read: "read_file", written: 5 });
    expect(world.callsOf("write_file")).toEqual([
      ["write_file", { path: "a", text: "hello", token: "s3cret" }],
    ]);
    expect((await world.harness.approval(call.id)).status).toBe("executed");
  });

  it("ask once for each of two equal calls in a row, and give each its own decision", async () => {
    await using world = await openFiles(async (tools) => {
      const write = () => tools.write_file({ path: "a", text: "hello" }).catch(asData);
      return [await write(), await write()];
    });
    const { runId } = await world.harness.say("go");
    const first = await world.harness.onlyPending();
    await world.harness.decide(first, "approve");
    const second = await world.harness.nextPending(first);
    await world.harness.decide(second, "deny", "finance", "Once is enough");
    expect(await world.outputOf(runId)).toEqual([
      { written: 5 },
      {
        ...{ denied: "denied_by_person", toolName: "write_file", id: second.id },
        message: expect.stringContaining("Their reason: Once is enough."),
      },
    ]);
    expect(world.calls).toHaveLength(1);
  });
});

it("is judged by its own profile, also if a replay comes to an equal call under another profile first", async () => {
  const policy = definePolicy({
    tools: {},
    profiles: { lax: { tools: { save: allow() } }, strict: { tools: { save: ask() } } },
  });
  const saved: string[] = [];
  let executions = 0;
  await using database = await freshPostgres();
  await using harness = await openHarness({
    ...{ database, policy, tools: [], reply: () => ({ text: "unused" }), replaying: "each-step" },
    run: async ({ countersign }) => {
      executions += 1;
      const order = executions === 1 ? ["lax", "strict"] : ["strict", "lax"];
      for (const profile of order) {
        const save = (_input: object) => saved.push(profile);
        const gated = countersign.applyProfile({ save }, { profile, requester: { id: "requester" } });
        await gated.save({ path: "a" });
      }
    },
  });
  const { runId } = await harness.say("go");
  const ended = async () => ((await harness.runStatus(runId)).status === "Completed" ? "ran" : undefined);
  const asked = async () => (await harness.call("finance", "/approvals?status=pending")).body.items[0];
  expect(
    await harness.onceAtRest(async () => (await ended()) ?? (await asked()), "ends or asks"),
  ).toMatchObject({
    toolName: "save",
  });
  expect(saved).not.toContain("strict");
});

describe("a refused call of a function throws ToolCallDeniedError", () => {
  const writes = (tools: ReturnType<typeof gate>) => tools.write_file({ path: "a", text: "hello" });

  it.each([
    ["delete_file", "Files stay"],
    ["unlisted", "No rule of the policy covers this tool"],
  ] as const)("denied_by_policy: %s", async (toolName, reason) => {
    await using world = await openFiles((tools) => tools[toolName]({ path: "a" }));
    const { runId } = await world.harness.say("go");
    expect(await world.outputOf(runId)).toMatchObject({
      ...{ denied: "denied_by_policy", toolName, message: expect.stringContaining(reason) },
    });
    expect(world.calls).toEqual([]);
  });

  it("approval_expired if nobody decides in time", async () => {
    await using world = await openFiles(writes);
    const { runId } = await world.harness.say("go");
    await world.harness.onlyPending();
    await world.harness.clock.advance("31m");
    expect(await world.outputOf(runId)).toMatchObject({ denied: "approval_expired" });
    expect(world.calls).toEqual([]);
  });

  it.each([
    ["read_file", "allows"],
    ["write_file", "asks about"],
  ] as const)("stopped if an operator has stopped %s, which the profile %s", async (tool, _says) => {
    await using world = await openFiles((tools) => tools[tool]({ path: "a", text: "hello" }));
    await stopCalls(world.harness.store, tool);
    const { runId } = await world.harness.say("go");
    expect(await world.outputOf(runId)).toMatchObject({ denied: "stopped", toolName: tool });
    expect(world.calls).toEqual([]);
  });
});

it("an allowed call does not start if an operator stops the function after the call was judged", async () => {
  let judged = false;
  const between: HarnessOptions["between"] = (store) =>
    interceptedStore(store, {
      async engagedStops(read) {
        const found = await read();
        if (!judged) await stopCalls(store, "read_file");
        judged = true;
        return found;
      },
    });
  await using world = await openFiles((tools) => tools.read_file({ path: "a" }), { between });
  const { runId } = await world.harness.say("go");
  expect(await world.outputOf(runId)).toMatchObject({ denied: "stopped", toolName: "read_file" });
  expect(world.calls).toEqual([]);
});

describe("an approved call of a function", () => {
  it("runs with the arguments as a person edited them", async () => {
    await using world = await openFiles((tools) => tools.write_file({ path: "a", text: "hello" }));
    const { runId } = await world.harness.say("go");
    const call = await world.harness.onlyPending();
    const body = { type: "edit", digest: call.digest, input: { path: "a", text: "hi" } };
    const path = `/approvals/${call.id}/decision`;
    expect((await world.harness.call("finance", path, { method: "POST", body })).status).toBe(200);
    expect(await world.outputOf(runId)).toEqual({ written: 2 });
    expect(world.calls).toEqual([["write_file", { path: "a", text: "hi" }]]);
  });

  it("runs after an edit to arguments for which a rule has checks", async () => {
    const checked: unknown[] = [];
    const limit = { name: "limit", run: (input: object) => checked.push(input) > 0 };
    const byLength = definePolicy({
      tools: {},
      profiles: {
        supervised: {
          tools: {
            write_file: ({ input }) =>
              ask({ editable: ["text"], ...(String(input.text).length > 5 && { checks: [limit] }) }),
          },
        },
      },
    });
    const write = (tools: ReturnType<typeof gate>) => tools.write_file({ path: "a", text: "hello" });
    await using world = await openFiles(write, {}, byLength);
    const { runId } = await world.harness.say("go");
    const call = await world.harness.onlyPending();
    const edited = { path: "a", text: "hello world" };
    const body = { type: "edit", digest: call.digest, input: edited };
    await world.harness.call("finance", `/approvals/${call.id}/decision`, { method: "POST", body });
    expect(await world.outputOf(runId)).toEqual({ written: 11 });
    expect([checked, world.calls]).toEqual([[edited], [["write_file", edited]]]);
  });

  it("throws the function's own error, and does not run again", async () => {
    await using world = await openFiles((tools) => tools.write_file({ path: "full", text: "hello" }));
    const { runId } = await world.harness.say("go");
    const call = await world.harness.onlyPending();
    await world.harness.decide(call, "approve");
    expect(await world.outputOf(runId)).toEqual({ name: "RangeError", message: "The disk is full" });
    expect(world.calls).toHaveLength(1);
    expect((await world.harness.approval(call.id)).status).toBe("failed");
  });

  it("runs once without a person if the verdict is notify, and not at all if a person does it", async () => {
    await using world = await openFiles(async (tools) => [
      await tools.log({ line: "x" }),
      await tools.rename({ from: "a" }),
    ]);
    const { runId } = await world.harness.say("go");
    const call = await world.harness.onlyPending();
    const body = { type: "respond", digest: call.digest, response: "renamed by hand" };
    const path = `/approvals/${call.id}/decision`;
    expect((await world.harness.call("finance", path, { method: "POST", body })).status).toBe(200);
    expect(await world.outputOf(runId)).toEqual(["log 1", "renamed by hand"]);
    expect(world.calls).toEqual([["log", { line: "x" }]]);
  });

  it.each(["after-claim", "after-handler"] as const)(
    "is not started again after a crash %s, and throws execution_interrupted",
    async (point) => {
      const { fns, calls } = files();
      const saves = ({ inngest, countersign }: HarnessParts) =>
        inngest.createFunction({ id: "save", triggers: [{ event: "file/save" }] }, () =>
          gate({ countersign }, fns).write_file({ path: "a", text: "hello" }).catch(asData),
        );
      await using desk = await createTestHarness({
        ...{
          patience: "60s",
          policy,
          functions: (parts) => [saves(parts)],
          reply: () => ({ text: "unused" }),
        },
      });
      const run = await desk.send({ name: "file/save" });
      const [call] = await run.pending();
      const crash = desk.crashAt(point);
      await desk.decide(call, { type: "approve" });
      expect(await run.ended()).toMatchObject({ denied: "execution_interrupted", id: call.id });
      expect(crash.happened).toBe(1);
      expect(calls).toHaveLength(point === "after-handler" ? 1 : 0);
    },
  );
});

describe("applyProfile", () => {
  it("keeps the types of the functions", async () => {
    await using world = await openFiles(async () => "done");
    const gated = gate(world.harness);
    expectTypeOf(gated.write_file).toEqualTypeOf<(input: Write) => Promise<{ written: number }>>();
    expectTypeOf(gated.read_file).returns.toEqualTypeOf<Promise<string>>();
    expect(Object.keys(gated).sort()).toEqual(Object.keys(files().fns).sort());
  });

  it.each([
    [
      { profile: "supervized" },
      /^profile: the policy has no profile "supervized"; did you mean "supervised"/,
    ],
    [{}, /^applyProfile\(\): profile: /],
    [undefined, /^applyProfile\(\): /],
    [{ profile: "supervised", tenantId: " " }, /^applyProfile\(\): tenantId: /],
    [{ profile: "supervised", requester: { id: 7 } }, /^applyProfile\(\): requester\.id: /],
    [{ profile: "supervised", tenant: "acme" }, /^applyProfile\(\): tenant: /],
  ])("refuses the options %j", async (given, message) => {
    await using world = await openFiles(async () => "done");
    const apply = () => world.harness.countersign.applyProfile({}, given as typeof options);
    expect(apply).toThrow(expect.objectContaining({ code: "invalid_option" }));
    expect(apply).toThrow(message);
  });

  it("refuses a value that is no function", async () => {
    await using world = await openFiles(async () => "done");
    const fns = { write_file: "no function" } as never;
    expect(() => world.harness.countersign.applyProfile(fns, options)).toThrow(
      "applyProfile(): write_file: must be a function",
    );
  });

  it("gives functions that cannot be called outside an Inngest function", async () => {
    await using world = await openFiles(async () => "done");
    await expect(gate(world.harness).read_file({})).rejects.toMatchObject({
      code: "outside_inngest",
      message: expect.stringContaining('applyProfile: "read_file"'),
    });
  });

  it.each([
    [{ at: new Map() }, "cannot be written as JSON (Map)"],
    [{ amount: Number.NaN }, "cannot be written as JSON (NaN)"],
    [["a"], "the arguments must be a JSON object"],
  ])(
    "refuses the arguments %o, which JSON does not hold, also of an allowed function",
    async (input, problem) => {
      await using world = await openFiles((tools) => tools.read_file(input as never));
      const { runId } = await world.harness.say("go");
      expect(await world.outputOf(runId)).toMatchObject({
        code: "invalid_request",
        message: `applyProfile: read_file: input: ${problem}`,
      });
      expect(world.calls).toEqual([]);
    },
  );

  it("calls functions with the arguments of the moment of the call, whatever becomes of the object", async () => {
    await using world = await openFiles((tools) => {
      const input = { path: "a" };
      const first = tools.log(input);
      input.path = "b";
      return Promise.all([first, tools.log(input)]);
    });
    const { runId } = await world.harness.say("go");
    await world.outputOf(runId);
    expect(world.callsOf("log").map(([, input]) => input)).toEqual(
      expect.arrayContaining([{ path: "a" }, { path: "b" }]),
    );
  });

  it("gives functions the arguments as JSON holds them, which are those that were judged", async () => {
    await using world = await openFiles((tools) => tools.read_file({ at: new Date(0), more: undefined }));
    const { runId } = await world.harness.say("go");
    await world.outputOf(runId);
    expect(world.calls[0]).toEqual(["read_file", { at: "1970-01-01T00:00:00.000Z" }]);
  });
});
