import { createNetwork, createTool, type StateData } from "@inngest/agent-kit";
import { allow, ask, definePolicy, durable, type Policy } from "countersign";
import { createCountersign } from "countersign/agent-kit";
import { Inngest } from "inngest";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness, principals } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";
import { takeWarning } from "../support/run/warnings.js";
import { pgliteStore } from "../support/store.js";

const refund = { toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] };

describe("arguments that are not an object", () => {
  async function expectRefusal(input: unknown, agent: HarnessOptions["agent"] = {}) {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const started: unknown[] = [];
    const free = createTool({ name: "free", handler: (given: unknown) => started.push(given) });
    await using harness = await openHarness({
      database,
      tools: [...tools, free],
      policy: definePolicy({ tools: { free: allow(), refund: ask() } }),
      agent,
      reply: inTurns(
        { toolCalls: [{ name: "free", input }] },
        {
          toolCalls: [
            { name: "free", input },
            { name: "refund", input },
          ],
        },
      ),
    });
    const { runId, threadId } = await harness.say("Try");
    await harness.ended(runId);
    expect(effects).toEqual([]);
    expect(started).toEqual([]);
    expect(harness.model.requests.map(({ status, error }) => error ?? status)).toEqual([200, 200, 200]);
    const lastRequest = JSON.stringify(harness.model.requests[2]?.body);
    expect(lastRequest.match(/invalid_input/g)).toHaveLength(3);
    expect(lastRequest).toContain("the arguments must be a JSON object");
    expect((await harness.call("finance", `/approvals?threadId=${threadId}`)).body.items).toEqual([]);
  }

  it.each([[7], [[1]], [true]])("are refused, and the run completes: %j", async (input) => {
    await expectRefusal(input);
  });

  // AgentKit's parser of OpenAI responses fails on such a text itself, but a hook can still introduce one.
  it.each(["x", ""])("are refused, and the run completes: the text %j", async (input) => {
    await expectRefusal(
      {},
      {
        lifecycle: {
          onResponse: ({ result }) => {
            for (const message of result.output) {
              if (message.type !== "tool_call") continue;
              for (const call of message.tools) call.input = input as never;
            }
            return result;
          },
        },
      },
    );
  });
});

it("a call is denied when the policy throws", async () => {
  takeWarning(/The policy threw/);
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const faulty: Policy = {
    version: "faulty",
    profiles: [],
    evaluate: () => {
      throw new TypeError("No such rule");
    },
    explain: () => {
      throw new TypeError("No such rule");
    },
  };
  await using harness = await openHarness({ database, tools, policy: faulty, reply: inTurns(refund) });
  const { runId } = await harness.say("Refund A-1");
  await harness.ended(runId);
  expect(effects).toEqual([]);
  expect(JSON.stringify(harness.model.requests[1]?.body)).toContain("denied_by_policy");
});

it("a timeout with a fraction becomes whole milliseconds, on the instance and in a rule", async () => {
  for (const where of ["instance", "rule"] as const) {
    await using database = await freshPostgres();
    const { tools } = deskTools();
    const timeout = "1.1h";
    await using harness = await openHarness({
      database,
      tools,
      policy: definePolicy({ tools: { refund: where === "rule" ? ask({ timeout }) : ask() } }),
      reply: inTurns(refund),
      ...(where === "instance" ? { countersign: { timeout } } : {}),
    });
    await harness.say("Refund A-1");
    const { id } = await harness.onlyPending();
    expect(await harness.store.getApproval("acme", id)).toMatchObject({ timeoutMs: 66 * 60_000 });
  }
});

it("a durable tool gets step tools when its agent runs without a network", async () => {
  await using database = await freshPostgres();
  const ran: string[] = [];
  const tool = durable(
    createTool({
      name: "export_data",
      parameters: z.object({}),
      handler: async (_input, { step }) => {
        if (!step) throw new Error("There are no step tools");
        await step.run("dump", () => ran.push("dump"));
        return step.run("upload", () => `uploaded after ${ran.push("upload")}`);
      },
    }),
  );
  await using harness = await openHarness({
    database,
    tools: [tool],
    policy: definePolicy({ tools: { "*": ask() } }),
    reply: inTurns({ toolCalls: [{ name: "export_data", input: {} }] }),
    run: ({ countersign, agent, state, message }) =>
      countersign.guard(agent).run(message, { state, maxIter: 2 }),
  });
  const { runId } = await harness.say("Export");
  const approval = await harness.onlyPending();
  await harness.decide(approval, "approve");
  await harness.ended(runId);
  expect(ran).toEqual(["dump", "upload"]);
  expect((await harness.approval(approval.id)).status).toBe("executed");
  expect(JSON.stringify(harness.model.requests.at(-1)?.body)).toContain("uploaded after 2");
});

it("a thread keeps both messages of a run that runs a network twice", async () => {
  await using database = await freshPostgres();
  const { tools } = deskTools();
  await using harness = await openHarness({
    database,
    tools,
    reply: ({ messages }) => ({ text: `You said ${messages.filter(({ role }) => role === "user").length}` }),
    checkpointing: false,
    run: async ({ countersign, agent, state, message }) => {
      const ask = (text: string) =>
        countersign
          .guard(
            createNetwork<StateData>({
              name: "desk",
              agents: [agent],
              history: countersign.history,
              router: ({ callCount }) => (callCount === 0 ? agent : undefined),
            }),
          )
          .run(text, { state: state.clone() });
      await ask(message);
      await ask("And a second thing");
    },
  });
  const { runId, threadId } = await harness.say("A first thing");
  await harness.ended(runId);
  const owner = principals.requester as NonNullable<typeof principals.requester>;
  const { messages } = await harness.countersign.threads.read(threadId, owner);
  const contents = messages.map((message) => ("content" in message ? message.content : message.role));
  expect(contents).toEqual(["A first thing", "You said 1", "And a second thing", "You said 2"]);
});

it("createCountersign() refuses a timeout of 366 days", () => {
  const options = {
    inngest: new Inngest({ id: "timeout", isDev: true }),
    store: pgliteStore(),
    policy: definePolicy({ tools: {} }),
  };
  expect(() => createCountersign({ ...options, timeout: "366d" })).toThrow(/timeout/);
});
