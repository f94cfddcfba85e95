import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, durable } from "countersign";
import { expect, it, vi } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const unpaired = "a\ud800b";
const repaired = "a\ufffdb";
const parameters = z.object({});

const results = createTool({
  name: "results",
  parameters,
  handler: () => ({ rows: [unpaired], [unpaired]: 1 }),
});
const throws = createTool({
  name: "throws",
  parameters,
  handler: () => {
    throw new Error(unpaired);
  },
});
const cut = createTool({
  name: "cut",
  parameters,
  handler: () => {
    throw new Error(`${"x".repeat(9_999)}😀${"x".repeat(100)}`);
  },
});
const remembers = createTool({
  name: "remembers",
  parameters,
  handler: (_input, { network }) => {
    network.state.data.name = unpaired;
    network.state.data[unpaired] = { nested: unpaired };
    return "ok";
  },
});
const inSteps = durable(createTool({ name: "inSteps", parameters, handler: () => unpaired }));

it.each([
  [results, "executed", repaired],
  [throws, "failed", repaired],
  [cut, "failed", "x… (truncated"],
  [remembers, "executed", "ok"],
  [inSteps, "executed", repaired],
])(
  "a run goes on after a call whose effects hold an unpaired surrogate: $name",
  async (tool, status, told) => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    await using database = await freshPostgres();
    await using harness = await openHarness({
      database,
      tools: [tool],
      policy: definePolicy({ tools: { "*": ask() } }),
      reply: inTurns({ toolCalls: [{ name: tool.name, input: {} }] }),
      checkpointing: false,
    });
    const { runId } = await harness.say("Go");
    const call = await harness.onlyPending();
    await harness.decide(call, "approve");
    await harness.ended(runId);
    expect(await harness.approval(call.id)).toMatchObject({ status });
    expect(JSON.stringify(harness.model.requests.at(-1)?.body)).toContain(told);
    if (tool === remembers) {
      expect(harness.states.at(-1)?.data).toMatchObject({ name: repaired, [repaired]: { nested: repaired } });
    }
    const warns = [results, remembers, inSteps].includes(tool as never);
    expect(warned.mock.calls.flat().join().includes("unpaired surrogate")).toBe(warns);
    warned.mockRestore();
  },
);

it("a refusal that names a cut field of the arguments does not end the run", async () => {
  await using database = await freshPostgres();
  const name = `${"n".repeat(99)}😀`;
  const anyField = createTool({
    name: "anyField",
    parameters,
    handler: () => "ok",
  });
  await using harness = await openHarness({
    database,
    tools: [anyField],
    policy: definePolicy({ tools: { "*": ask() } }),
    reply: inTurns({ toolCalls: [{ name: "anyField", input: { [name]: "x".repeat(2_000_000) } }] }),
    checkpointing: false,
  });
  const { runId } = await harness.say("Go");
  await harness.ended(runId);
  expect(JSON.stringify(harness.model.requests.at(-1)?.body)).toContain(`${"n".repeat(99)}…`);
});
