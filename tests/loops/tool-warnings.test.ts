import { createTestHarness } from "@countersign/testing";
import { tool } from "ai-6";
import { ask, definePolicy, gateTool, type Logger, needsApproval, type RunGate } from "countersign";
import { guardTools } from "countersign/ai-sdk";
import { expect, it } from "vitest";
import { z } from "zod";

const inputSchema = z.object({});
const policy = definePolicy({ tools: { refund: ask(), closeAccount: ask() } });
const names = ["refund", "refnd", "close_account"];

it.each<[way: string, use: (gate: RunGate) => unknown]>([
  [
    "gate.calls",
    (gate) => {
      const tools = [...names, "marked"].map((name) => gateTool({ name, inputSchema, execute: () => "ran" }));
      needsApproval(tools.at(-1) ?? {});
      return gate.calls(tools, [{ id: "one", name: "refnd", input: {} }]);
    },
  ],
  [
    "guardTools",
    (gate) => {
      const own = () => tool({ inputSchema, execute: () => "ran" });
      const tools = Object.fromEntries(names.map((name) => [name, own()]));
      return guardTools({ ...tools, marked: needsApproval(own()), elsewhere: tool({ inputSchema }) }, gate);
    },
  ],
])("%s warns once about each tool that no rule names, and about no other", async (_way, use) => {
  const warnings: string[] = [];
  const logger: Logger = { info() {}, error() {}, warn: (message) => warnings.push(message) };
  await using harness = await createTestHarness({
    ...{ policy, countersign: { logger }, reply: () => ({ text: "unused" }) },
    functions: ({ inngest, countersign }) => [
      inngest.createFunction({ id: "desk", triggers: [{ event: "desk/go" }] }, async ({ step }) => {
        await use(countersign.gate({ step, agentName: "desk" }));
      }),
    ],
  });
  for (let run = 0; run < 2; run++) await (await harness.send({ name: "desk/go" })).ended();
  expect(warnings).toEqual([
    expect.stringMatching(/^No rule of the policy covers "refnd", a tool of the agent "desk".*Add a rule/),
    expect.stringMatching(
      /^No rule of the policy covers "close_account".*a rule for "closeAccount": use one/,
    ),
  ]);
});
