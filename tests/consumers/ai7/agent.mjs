// Agents of `ai` 7 inside of Inngest functions: their gated tools wait for people, and no model is asked twice.
import assert from "node:assert/strict";
import { createTestHarness } from "@countersign/testing";
import { generateText, isStepCount, streamText, ToolLoopAgent, tool } from "ai";
import { MockLanguageModelV3, MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { allow, ask, definePolicy } from "countersign";
import { durableModel, guardTools } from "countersign/ai-sdk";
import { z } from "zod";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const finish = (unified) => ({ finishReason: { unified, raw: undefined }, usage });
const call = (toolCallId, toolName, input) => ({
  ...{ type: "tool-call", toolCallId, toolName },
  input: JSON.stringify(input),
});

/** A model that calls three tools, and then says what became of them. */
function modelOf(Model) {
  const prompts = [];
  const answerTo = (prompt) => {
    prompts.push(prompt);
    if (prompt.some(({ role }) => role === "tool")) {
      return { content: [{ type: "text", text: "Done" }], ...finish("stop"), warnings: [] };
    }
    const content = [
      call("c0", "refund", { order: "A-1", amount: 80 }),
      call("c1", "look_up", { order: "A-1" }),
      call("c2", "refund", { order: "A-2", amount: 90 }),
    ];
    return { content, ...finish("tool-calls"), warnings: [] };
  };
  const model = new Model({
    doGenerate: async ({ prompt }) => answerTo(prompt),
    doStream: async ({ prompt }) => {
      const { content, finishReason } = answerTo(prompt);
      const parts = content.flatMap((part) =>
        part.type === "text"
          ? [
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: part.text },
              { type: "text-end", id: "t" },
            ]
          : [part],
      );
      const chunks = [
        { type: "stream-start", warnings: [] },
        ...parts,
        { type: "finish", finishReason, usage },
      ];
      return { stream: simulateReadableStream({ chunks }) };
    },
  });
  return { model, prompts };
}

const inputOf = { order: z.string() };
const toolsThat = (ran) => ({
  look_up: tool({
    inputSchema: z.object(inputOf),
    execute: async ({ order }) => ran.push(`look up ${order}`) && { paid: 80 },
  }),
  refund: tool({
    inputSchema: z.object({ ...inputOf, amount: z.number() }),
    execute: async ({ order, amount }) => ran.push(`refund ${order}`) && `paid ${amount}`,
  }),
});

const agents = {
  generateText: async (model, tools) =>
    (await generateText({ model, tools, prompt: "go", stopWhen: isStepCount(5) })).text,
  "generateText, one call after another": async (model, tools) =>
    (await generateText({ model, tools, prompt: "go", stopWhen: isStepCount(5), toolCallConcurrency: 1 }))
      .text,
  streamText: (model, tools) => streamText({ model, tools, prompt: "go", stopWhen: isStepCount(5) }).text,
  ToolLoopAgent: async (model, tools) =>
    (await new ToolLoopAgent({ model, tools }).generate({ prompt: "go" })).text,
};

const policy = definePolicy({
  tools: { look_up: allow(), refund: ask({ approvers: { roles: ["finance"] } }) },
});
const people = { finn: { id: "finn", roles: ["finance"] } };

/** Runs the body of an Inngest function, which gets a gate, in an installation of its own. */
async function inRun(body, test) {
  const desk = await createTestHarness({
    ...{ policy, people, reply: () => ({ text: "unused" }) },
    functions: ({ inngest, countersign }) => [
      inngest.createFunction({ id: "desk", triggers: [{ event: "desk/go" }] }, async ({ step }) =>
        body({ step, gate: countersign.gate({ step, context: { requester: { id: "requester" } } }) }),
      ),
    ],
  });
  try {
    await test(desk, await desk.send({ name: "desk/go" }));
  } finally {
    await desk[Symbol.asyncDispose]();
  }
}

/** What the model read about its calls. */
const readBy = (prompts) =>
  prompts[1].flatMap(({ role, content }) => (role === "tool" ? content.map(({ output }) => output) : []));

async function works(name, run, Model) {
  const ran = [];
  const { model, prompts } = modelOf(Model);
  const body = ({ step, gate }) => run(durableModel(model, step), guardTools(toolsThat(ran), gate));
  await inRun(body, async (desk, turn) => {
    const [first, second] = await turn.pending(2);
    assert.equal(first.requestId, second.requestId, name);
    assert.deepEqual(ran, [], name);
    await desk.decide(first, { by: "finn", type: "approve" });
    await desk.decide(second, { by: "finn", type: "deny", reason: "Too late" });
    assert.equal(await turn.ended(), "Done", name);
  });
  assert.deepEqual(ran, ["refund A-1", "look up A-1"], name);
  assert.equal(prompts.length, 2, name);
  const [paid, found, denied] = readBy(prompts);
  assert.deepEqual(paid, { type: "text", value: "paid 80" }, name);
  assert.deepEqual(found, { type: "json", value: { paid: 80 } }, name);
  assert.match(JSON.stringify(denied), /error-text.*Their reason: Too late\./, name);
}

/** `toolApproval`, given to the gate. */
async function honoursToolApproval() {
  const ran = [];
  const { model } = modelOf(MockLanguageModelV4);
  const toolApproval = {
    look_up: (_input, { toolCallId }) => (toolCallId === "c1" ? "user-approval" : undefined),
    refund: { type: "denied", reason: "Not on Sundays" },
  };
  const body = ({ step, gate }) =>
    agents.generateText(durableModel(model, step), guardTools(toolsThat(ran), gate, { toolApproval }));
  await inRun(body, async (desk, turn) => {
    const [asked] = await turn.pending();
    assert.equal(asked.toolName, "look_up");
    await desk.decide(asked, { by: "finn", type: "approve" });
    assert.equal(await turn.ended(), "Done");
  });
  assert.deepEqual(ran, ["look up A-1"]);
}

/** `toolApproval` that stayed at `generateText`: nothing runs that it holds back. */
async function staysSafeWithoutIt() {
  const ran = [];
  const { model } = modelOf(MockLanguageModelV4);
  const body = async ({ step, gate }) => {
    const { content } = await generateText({
      model: durableModel(model, step),
      tools: guardTools(toolsThat(ran), gate),
      toolApproval: () => "user-approval",
      prompt: "go",
      stopWhen: isStepCount(5),
    });
    return content.map(({ type }) => type);
  };
  await inRun(body, async (_desk, turn) => {
    assert.ok((await turn.ended()).includes("tool-approval-request"));
  });
  assert.deepEqual(ran, []);
}

assert.ok(Number.parseInt(process.versions.node, 10) >= 22, `Node ${process.versions.node}`);
for (const [name, run] of Object.entries(agents)) await works(name, run, MockLanguageModelV4);
await works("a model of specification v3", agents.generateText, MockLanguageModelV3);
await honoursToolApproval();
await staysSafeWithoutIt();
console.log("The agents did what they should.");
