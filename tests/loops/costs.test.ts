import type { RequestHandler } from "@countersign/testing";
import type { ToolSet } from "ai-6";
import { durableModel } from "countersign/ai-sdk";
import { describe, expect, it } from "vitest";
import { type AgentWorld, kinds, openAgent } from "../support/loops/ai-agent.js";

/** The same tools, each call of which is a step: what a durable agent without the gate does. */
function inSteps(tools: AgentWorld["own"], step: AgentWorld["run"]["step"]): AgentWorld["own"] {
  const own = Object.entries(tools as ToolSet).map(([name, tool]) => [
    name,
    {
      ...tool,
      execute: (input: unknown, options: { toolCallId: string }) =>
        step.run(`${name} ${options.toolCallId}`, async () =>
          Reflect.apply(tool.execute as (...args: unknown[]) => unknown, tool, [input, options]),
        ),
    },
  ]);
  return Object.fromEntries(own);
}

/** Requests between the app and the engine in either direction, while an agent makes these calls. */
async function requestsOf(
  calls: Parameters<typeof openAgent>[0],
  body: Parameters<typeof openAgent>[1],
  how: Pick<NonNullable<Parameters<typeof openAgent>[2]>, "checkpointing" | "replaying">,
) {
  let count = 0;
  const counted = (request: Request, handle: RequestHandler) => {
    // Other functions, such as the relay, have runs of their own.
    if (request.url.includes("fnId=harness-agent") || request.url.includes("/checkpoint/")) count += 1;
    return handle(request);
  };
  await using agent = await openAgent(calls, body, {
    ...how,
    ...{ onRequest: counted, onEngineRequest: counted, transport: "http" },
  });
  const { runId } = await agent.harness.say("go");
  expect((await agent.harness.ended(runId)).output).toBe("Done");
  expect(agent.prompts).toHaveLength(2);
  return count;
}

describe.each([
  ["with checkpoints", { checkpointing: true }],
  ["without checkpoints", { checkpointing: false }],
])("a turn that needs no approval, %s", (_way, how) => {
  it.each([1, 3])("costs at most one request more than without the gate, with %i calls", async (number) => {
    const calls = Array.from({ length: number }, (_, index): ["look_up", object] => [
      "look_up",
      { order: `A-${index}` },
    ]);
    const without = await requestsOf(
      calls,
      ({ base, own, run: { step } }) =>
        kinds.generateText({ model: durableModel(base, step), tools: inSteps(own, step) }),
      how,
    );
    const gated = await requestsOf(calls, (world) => kinds.generateText(world), how);
    expect(gated - without).toBeLessThanOrEqual(1);
  });
});
