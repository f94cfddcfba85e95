import { createTool, type Tool } from "@inngest/agent-kit";
import { approvalOf, ask, definePolicy, durable, idempotent } from "countersign";
import { z } from "zod";
import { type Effect, inTurns } from "../../../support/desk-tools.js";
import type { Harness } from "../../../support/harness.js";
import type { Scenario } from "../scenario.js";

/** An agent whose only tool is called once and needs an approval. */
function oneTool(make: (effects: Effect[]) => Tool.Any) {
  const effects: Effect[] = [];
  const tool = make(effects);
  return {
    effects,
    tools: [tool],
    policy: definePolicy({ tools: { "*": ask() } }),
    reply: inTurns({ toolCalls: [{ name: tool.name, input: { table: "orders" } }] }),
  };
}

async function approveIt(harness: Harness): Promise<void> {
  const { runId } = await harness.say("Go");
  await harness.decide(await harness.onlyPending(), "approve");
  await harness.ended(runId);
}

const parameters = z.object({ table: z.string() });

/** Scenarios of different tool handlers. */
export const toolScenarios: Scenario[] = [
  {
    name: "a durable tool has steps of its own",
    open: () =>
      oneTool((effects) =>
        durable(
          createTool({
            name: "export_data",
            parameters,
            handler: async ({ table }, { step }) => {
              await step?.run("dump", () => effects.push({ tool: "dump", input: table }));
              await step?.sleep("cool down", "1s");
              return step?.run("upload", () => {
                effects.push({ tool: "upload", input: table });
                return `upload of ${table}`;
              });
            },
          }),
        ),
      ),
    async play(harness) {
      const { runId } = await harness.say("Export");
      await harness.decide(await harness.onlyPending(), "approve");
      await harness.ended(runId);
    },
    ends: { statuses: ["executed"], ran: ["dump", "upload"], modelReads: "upload of orders" },
  },
  {
    name: "a durable tool fails between its steps",
    open: () =>
      oneTool((effects) =>
        durable(
          createTool({
            name: "export_data",
            parameters,
            handler: async ({ table }, { step }) => {
              await step?.run("dump", () => effects.push({ tool: "dump", input: table }));
              throw new RangeError("The disk is full");
            },
          }),
        ),
      ),
    play: approveIt,
    ends: { statuses: ["failed"], ran: ["dump"], modelReads: "The disk is full" },
  },
  {
    name: "an idempotent tool gets its idempotency key",
    open: () =>
      oneTool((effects) =>
        idempotent(
          createTool({
            name: "pay",
            parameters,
            handler: (_input, options) => {
              effects.push({ tool: "pay", input: approvalOf(options)?.idempotencyKey });
              return "paid";
            },
          }),
        ),
      ),
    play: approveIt,
    ends: { statuses: ["executed"], ran: ["pay"] },
  },
  {
    name: "a tool changes the network's state",
    onlyAgentKit: true,
    open: () =>
      oneTool((effects) =>
        createTool({
          name: "book",
          parameters,
          handler: (input, { network }) => {
            network.state.data.booked = { seats: 2 };
            network.state.kv.set("starts", effects.push({ tool: "book", input }));
            return "booked";
          },
        }),
      ),
    play: approveIt,
    ends: {
      statuses: ["executed"],
      ran: ["book"],
      state: { data: { booked: { seats: 2 } }, kv: { starts: 1 } },
    },
  },
  {
    name: "a tool fails",
    open: () =>
      oneTool((effects) =>
        createTool({
          name: "flaky",
          parameters,
          handler: (input) => {
            effects.push({ tool: "flaky", input });
            throw new RangeError("out of stock");
          },
        }),
      ),
    play: approveIt,
    ends: { statuses: ["failed"], ran: ["flaky"], modelReads: "out of stock" },
  },
];
