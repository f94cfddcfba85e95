import { createTool } from "@inngest/agent-kit";
import { generateText, stepCountIs } from "ai-6";
import { approvalOf, durable } from "countersign";
import { fromAgentKit, guardTools } from "countersign/ai-sdk";
import { expect, it } from "vitest";
import { z } from "zod";
import { openAgent } from "../support/loops/ai-agent.js";
import { calls, openLoop, plainError } from "../support/loops/loop-desk.js";

const order = z.object({ order: z.string(), amount: z.number() });

function agentKitTools(ran: unknown[]) {
  const refund = createTool({
    name: "refund",
    parameters: order,
    handler: (input, options) => {
      ran.push(["refund", input, approvalOf(options)?.id]);
      return "paid";
    },
  });
  const exportAll = durable(
    createTool({
      name: "export_all",
      parameters: z.object({ to: z.string() }),
      handler: ({ to }, { step }) => step?.run("export", () => ran.push(["export_all", to])),
    }),
  );
  return { refund, exportAll };
}

it("a gate takes AgentKit's tools, and its question tool, as they are", async () => {
  const ran: unknown[] = [];
  await using loop = await openLoop(
    (gate, _desk, { countersign }) => {
      const { refund, exportAll } = agentKitTools(ran);
      return gate.calls(
        [refund, exportAll, countersign.requestHumanInput()],
        calls(
          ["one", "refund", { order: "A-1", amount: 5 }],
          ["two", "export_all", { to: "archive" }],
          ["three", "request_human_input", { message: "Which carrier?" }],
        ),
      );
    },
    { replaying: "each-step" },
  );
  const { runId } = await loop.harness.say("go");
  const waiting = await loop.harness.pending(3);
  const of = (tool: string) => waiting.find(({ toolName }) => toolName === tool) ?? expect.fail(tool);
  await loop.harness.decide(of("export_all"), "approve");
  await loop.harness.decide(of("refund"), "approve");
  const { id, digest } = of("request_human_input");
  const body = { type: "respond", digest, response: { action: "accept", content: { answer: "DHL" } } };
  const { status } = await loop.harness.call("finance", `/approvals/${id}/decision`, {
    method: "POST",
    body,
  });
  expect(status).toBe(200);
  expect(await loop.outputOf(runId)).toMatchObject([
    { id: "one", status: "executed", output: "paid" },
    { id: "two", status: "executed" },
    { id: "three", status: "responded", content: expect.stringContaining("DHL") },
  ]);
  expect(ran).toEqual([
    ["refund", { order: "A-1", amount: 5 }, of("refund").id],
    ["export_all", "archive"],
  ]);
});

it("the AI SDK's agents take them too, and toolApproval counts for them", async () => {
  const ran: unknown[] = [];
  await using agent = await openAgent(
    [
      ["look_up", { order: "A-1" }],
      ["refund", { order: "A-1", amount: 5 }],
    ],
    async ({ model, gate }) => {
      const lookUp = createTool({
        name: "look_up",
        parameters: z.object({ order: z.string() }),
        handler: ({ order }) => {
          ran.push(["look_up", order]);
          return { paid: 80 };
        },
      });
      const { refund } = agentKitTools(ran);
      const tools = guardTools({ look_up: fromAgentKit(lookUp), refund: fromAgentKit(refund) }, gate, {
        toolApproval: { look_up: "user-approval" },
      });
      const { text } = await generateText({ model, tools, prompt: "go", stopWhen: stepCountIs(5) });
      return text;
    },
  );
  const { runId } = await agent.harness.say("go");
  for (const call of await agent.harness.pending(2)) await agent.harness.decide(call, "approve");
  expect((await agent.harness.ended(runId)).output).toBe("Done");
  expect(ran).toEqual([
    ["look_up", "A-1"],
    ["refund", { order: "A-1", amount: 5 }, expect.stringContaining("apr_")],
  ]);
});

it("one without the gate around it does not run", async () => {
  await using loop = await openLoop(async (_gate, _desk) => {
    const { refund } = agentKitTools([]);
    return fromAgentKit(refund).execute({}, {}).catch(plainError);
  });
  const { runId } = await loop.harness.say("go");
  expect(await loop.outputOf(runId)).toMatchObject({
    message: expect.stringContaining("guardTools(tools, gate)"),
  });
});
