import { createAgent, createNetwork, type StateData } from "@inngest/agent-kit";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";

// Anthropic's calls arrive as one message each. OpenAI accepts the results of several calls only if one message holds
// all of these calls.

const lookup = { name: "lookup", input: { id: "A-1" } };
const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const erase = { name: "erase", input: { id: "C-7" } };
const several = inTurns({ text: "I will do that.", toolCalls: [lookup, refund, erase] });

const ways = [
  ["anthropic", "openai"],
  ["openai", "anthropic"],
] as const;

async function answers(options: Pick<HarnessOptions, "format" | "run" | "reply">, messages: string[]) {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  await using harness = await openHarness({ database, tools, ...options });
  let thread: string | undefined;
  for (const message of messages) {
    const { runId, threadId } = await harness.say(message, thread);
    thread = threadId;
    if (message === messages[0]) await harness.decide(await harness.onlyPending(), "approve");
    await harness.ended(runId);
  }
  expect(effects).toEqual([{ tool: "refund", input: refund.input }]);
  return harness.model.requests.map(({ format, status, error }) => [format, error ?? status]);
}

it.each(ways)("a thread that began with %s continues with %s", async (first, second) => {
  const reply: HarnessOptions["reply"] = (conversation) =>
    conversation.messages.at(-1)?.role === "user" && conversation.messages.length > 2
      ? { text: "You are welcome." }
      : several(conversation);
  const format = (message: string) => (message === "Do it" ? first : second);
  expect(await answers({ reply, format }, ["Do it", "Thank you"])).toEqual([
    [first, 200],
    [first, 200],
    [second, 200],
  ]);
});

it.each(ways)("an agent on %s hands over to one on %s", async (first, second) => {
  const run: HarnessOptions["run"] = async ({ countersign, agent, models, state, message }) => {
    const other = createAgent<StateData>({
      name: "other",
      system: "You tell the customer what was done.",
      model: models[second](),
    });
    const network = createNetwork<StateData>({
      name: "desk",
      agents: [agent, other],
      maxIter: 2,
      router: ({ callCount }) => [agent, other][callCount],
    });
    countersign.guard(network);
    await network.run(message, { state });
  };
  expect(await answers({ reply: several, format: first, run }, ["Do it"])).toEqual([
    [first, 200],
    [second, 200],
  ]);
});
