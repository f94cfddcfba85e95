import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Reply, scriptedModel } from "@countersign/testing";
import { createAgent, createNetwork, createTool, openai, type Tool } from "@inngest/agent-kit";
import { allow, approvalOf, ask, definePolicy, idempotent } from "countersign";
import { createCountersign } from "countersign/agent-kit";
import { postgresStore } from "countersign/postgres";
import { Inngest } from "inngest";
import { getAsyncCtx } from "inngest/experimental";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { defaultPolicy, openHarness } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";
import { takeWarning } from "../support/run/warnings.js";

const askAll = definePolicy({ tools: { "*": ask() } });

async function approveAll(options: Omit<HarnessOptions, "database">, calls = 1) {
  const database = await freshPostgres();
  const harness = await openHarness({ database, policy: askAll, ...options });
  const { runId } = await harness.say("Go");
  const waiting = await harness.pending(calls);
  for (const approval of waiting) await harness.decide(approval, "approve");
  await harness.ended(runId);
  const lastRequest = JSON.stringify(harness.model.requests.at(-1)?.body);
  return {
    harness,
    lastRequest,
    runId,
    approval: await harness.approval(waiting[0]?.id ?? ""),
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const call = (name: string, input: unknown = {}) => inTurns({ toolCalls: [{ name, input }] });

describe.each([true, false])(
  "an MCP tool that AgentKit adds at run time, checkpointing %s,",
  (checkpointing) => {
    it("runs once when approved", async () => {
      const effectsFile = join(mkdtempSync(join(tmpdir(), "countersign-mcp-")), "effects");
      writeFileSync(effectsFile, "");
      await using run = await approveAll({
        checkpointing,
        tools: [],
        reply: call("files-delete_file", { path: "/tmp/x" }),
        agent: {
          mcpServers: [
            {
              name: "files",
              transport: {
                type: "stdio",
                command: process.execPath,
                args: [fileURLToPath(new URL("../support/agents/mcp-server.mjs", import.meta.url))],
                env: { EFFECTS_FILE: effectsFile },
              },
            },
          ],
        },
      });
      expect(run.approval).toMatchObject({ status: "executed", toolName: "files-delete_file" });
      expect(readFileSync(effectsFile, "utf8")).toBe("/tmp/x\n");
      expect(run.lastRequest).toContain("deleted /tmp/x");
    });
  },
);

describe("a plain handler that takes step tools", () => {
  it.each(["from its options", "from a closure", "from a closure and hides the error"])(
    "%s fails, and the model reads that the tool must be declared durable",
    async (way) => {
      takeWarning(/The handler of "nested" used step\.run/);
      const tool = createTool({
        name: "nested",
        parameters: z.object({}),
        handler: async (_input, { step }) => {
          if (way === "from its options") return step?.run("inner", () => "never");
          expect((await getAsyncCtx())?.execution).toBeUndefined();
          const attempt = run.outerStep?.run("inner", () => "never");
          return way === "from a closure and hides the error" ? attempt?.catch(() => "hidden") : attempt;
        },
      });
      const run: { outerStep?: { run(id: string, work: () => string): Promise<string> } } = {};
      await using approved = await approveAll({
        tools: [tool],
        reply: call("nested"),
        network: (_network, step) => {
          run.outerStep = step as never;
        },
      });
      expect(approved.approval.status).toBe("failed");
      expect(approved.lastRequest).toContain("Declare the tool durable");
    },
  );
});

describe("a call that Countersign has not reviewed", () => {
  const started: unknown[] = [];
  const tool = () =>
    createTool({ name: "wipe", parameters: z.object({}), handler: (input) => void started.push(input) });

  it("is refused when the agent lost its hook, also for a tool added later", async () => {
    const { countersign, dispose } = await bareCountersign();
    const agent = countersign.guard(createAgent({ name: "a", system: "s", tools: [tool()] }));
    agent.lifecycles = undefined;
    const guarded = agent.tools.get("wipe") as Tool.Any;
    await expect(async () => guarded.handler({}, {} as never)).rejects.toThrow(/called without review/);
    agent.tools.set("late", { ...tool(), name: "late" });
    await expect(async () => agent.tools.get("late")?.handler({}, {} as never)).rejects.toThrow(
      /without review/,
    );
    expect(started).toEqual([]);
    await dispose();
  });

  it("is refused for a copy of a reviewed input, and its handler does not start", async () => {
    const { countersign, dispose } = await bareCountersign();
    const starts: unknown[] = [];
    const refusals: unknown[] = [];
    const lookup = createTool({
      name: "lookup",
      parameters: z.object({ id: z.string() }),
      handler: async (input, options) => {
        starts.push(input);
        const guarded = agent.tools.get("lookup") as Tool.Any;
        await Promise.resolve(guarded.handler({ ...input }, options as never)).catch((error: unknown) => {
          refusals.push(error);
        });
        return "looked up";
      },
    });
    const call = { toolCalls: [{ name: "lookup", input: { id: "A-1" } }] };
    const { agent, model } = await bareAgent([lookup], call);
    const result = await countersign.guard(agent).run("Look up A-1");
    expect(result.toolCalls.map(({ content }) => content)).toMatchObject([{ data: "looked up" }]);
    expect(starts).toEqual([{ id: "A-1" }]);
    expect(refusals).toMatchObject([
      { code: "unguarded_call", message: expect.stringContaining("not a copy") },
    ]);
    await model.close();
    await dispose();
  });

  it("is refused outside an Inngest function with a hint, while an allowed call runs", async () => {
    const { countersign, dispose } = await bareCountersign();
    const { tools, effects } = deskTools();
    const { agent, model } = await bareAgent(tools, {
      toolCalls: [
        { name: "lookup", input: { id: "A-1" } },
        { name: "refund", input: { id: "A-1", amount: 80 } },
      ],
    });
    const result = await countersign.guard(agent).run("Refund A-1");
    expect(result.toolCalls.map(({ content }) => content)).toMatchObject([
      { data: { total: 80 } },
      { error: { code: "outside_inngest", message: expect.stringContaining("inngest.createFunction") } },
    ]);
    expect(effects).toEqual([]);
    await model.close();
    await dispose();
  });
});

it("an agent of a second network guarded in the same run is guarded as well", async () => {
  const { tools, effects } = deskTools();
  await using run = await approveAll({
    tools: [],
    reply: call("refund", { id: "A-1", amount: 80 }),
    policy: definePolicy({ tools: { refund: ask() } }),
    network: (network) => {
      const [template] = [...network.agents.values()];
      const late = createAgent({
        name: "late",
        system: "s",
        tools,
        ...(template?.model ? { model: template.model } : {}),
      });
      const outer = createNetwork({
        name: "outer",
        agents: [late],
        router: ({ lastResult, callCount }) =>
          callCount === 0 || lastResult?.output.some((part) => part.type === "tool_call") ? late : undefined,
      });
      return outer;
    },
  });
  expect(run.approval.status).toBe("executed");
  expect(effects).toHaveLength(1);
});

it("an idempotent tool receives its approval's id as the idempotency key", async () => {
  const keys: string[] = [];
  const tool = idempotent(
    createTool({
      name: "pay",
      parameters: z.object({}),
      handler: (_input, options) => {
        keys.push(approvalOf(options)?.idempotencyKey ?? "none");
        return "paid";
      },
    }),
  );
  await using run = await approveAll({ tools: [tool], reply: call("pay") });
  expect(keys).toEqual([run.approval.id]);
});

it("a plain tool runs once in a run that replays many times", async () => {
  const { tools, effects } = deskTools();
  const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
  const policy = definePolicy({ tools: { refund: ask(), email: ask(), lookup: allow() } });
  const reply = inTurns(
    { toolCalls: [refund] },
    { toolCalls: [{ name: "lookup", input: { id: "A-1" } }] },
    { toolCalls: [{ name: "lookup", input: { id: "A-1" } }] },
  );
  await using run = await approveAll({ tools, policy, reply, checkpointing: false });
  expect(effects).toEqual([{ tool: "refund", input: refund.input }]);
  expect(run.harness.model.requests).toHaveLength(4);
});

it("a handler's error becomes the tool's result, and the handler is not retried", async () => {
  let starts = 0;
  const tool = createTool({
    name: "flaky",
    parameters: z.object({}),
    handler: () => {
      starts++;
      throw new RangeError("out of stock");
    },
  });
  await using run = await approveAll({ tools: [tool], reply: call("flaky") });
  expect(starts).toBe(1);
  expect(run.approval.status).toBe("failed");
  expect(run.lastRequest).toContain("out of stock");
});

/** A Countersign instance without an engine: the calls that it refuses never reach one. */
async function bareCountersign() {
  const database = await freshPostgres(2);
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  const inngest = new Inngest({ id: "bare", isDev: true });
  return {
    countersign: createCountersign({ inngest, store, policy: defaultPolicy }),
    dispose: () => database[Symbol.asyncDispose](),
  };
}

async function bareAgent(tools: Tool.Any[], reply: Reply) {
  const model = await scriptedModel({ reply: () => reply }).listen();
  const adapter = openai({ model: "gpt-test", apiKey: "test", baseUrl: `${model.url}/v1` });
  return { model, agent: createAgent({ name: "a", system: "s", tools, model: adapter }) };
}
