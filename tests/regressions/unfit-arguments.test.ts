import { createTool } from "@inngest/agent-kit";
import { allow, ask, definePolicy } from "countersign";
import { expect, it } from "vitest";
import { z } from "zod";
import { callsFromMessage, callsOf } from "../support/calls-from-message.js";
import { freshPostgres } from "../support/databases.js";
import { deskTools } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const policy = definePolicy({
  tools: {
    // What TypeScript promises of the arguments, a model need not keep.
    refund: ({ input }) => ((input as { amount: number }).amount > 100 ? ask() : allow()),
    lookup: allow(),
    transfer: ({ input }) => ((input as { amount: number }).amount > 100 ? ask() : allow()),
  },
});

it("a rule in code lets no call run whose arguments do not fit the tool", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  await using harness = await openHarness({ database, tools, policy, reply: callsFromMessage });
  for (const amount of ["12,000", { value: 12_000 }, [5000, 1], undefined]) {
    const { runId } = await harness.say(callsOf({ name: "refund", input: { id: "A-1", amount } }));
    await harness.ended(runId);
    expect(JSON.stringify(harness.model.requests.at(-1)?.body)).toContain("are not valid, so it did not run");
  }
  expect(effects).toEqual([]);
  const { runId } = await harness.say(callsOf({ name: "refund", input: { id: "A-1", amount: 12 } }));
  await harness.ended(runId);
  // AgentKit runs the handler of an allowed call again on each replay.
  expect(new Set(effects.map(({ input }) => JSON.stringify(input)))).toEqual(
    new Set(['{"id":"A-1","amount":12}']),
  );
  expect(await harness.store.listApprovals({ tenantId: "acme", limit: 9 })).toEqual([]);
});

it("what a rule allows by the tool's name alone runs as without Countersign, whatever its arguments", async () => {
  await using database = await freshPostgres();
  const seen = new Set<string>();
  const lookup = createTool({
    name: "lookup",
    parameters: z.object({ id: z.string() }),
    handler: (input) => seen.add(JSON.stringify(input)),
  });
  await using harness = await openHarness({ database, tools: [lookup], policy, reply: callsFromMessage });
  const { runId } = await harness.say(callsOf({ name: "lookup", input: { id: 7 } }));
  await harness.ended(runId);
  expect([...seen]).toEqual(['{"id":7}']);
});

it("a schema that takes its time to check still lets a fitting call run unasked", async () => {
  await using database = await freshPostgres();
  const seen = new Set<string>();
  const transfer = createTool({
    name: "transfer",
    parameters: z.object({ amount: z.number().refine(async (amount) => amount > 0) }),
    handler: (input) => seen.add(JSON.stringify(input)),
  });
  await using harness = await openHarness({ database, tools: [transfer], policy, reply: callsFromMessage });
  for (const amount of [50, -50]) {
    const { runId } = await harness.say(callsOf({ name: "transfer", input: { amount } }));
    await harness.ended(runId);
  }
  expect([...seen]).toEqual(['{"amount":50}']);
});
