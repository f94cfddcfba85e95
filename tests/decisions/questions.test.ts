import { allow, definePolicy, deny } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callsFromMessage, callsOf } from "../support/calls-from-message.js";
import { freshPostgres } from "../support/databases.js";
import { openHarness } from "../support/harness.js";

const form = {
  type: "object",
  properties: {
    size: { type: "string", enum: ["S", "M"] },
    count: { type: "integer", minimum: 1 },
    gift: { type: "boolean" },
  },
  required: ["size", "count"],
};

async function openDesk(policy = definePolicy({ tools: { lookup: allow() } })) {
  const database = await freshPostgres();
  const harness = await openHarness({
    database,
    tools: [],
    policy,
    reply: callsFromMessage,
    network: (network, _step, countersign) => {
      for (const agent of network.agents.values()) {
        const tool = countersign.requestHumanInput({ approvers: { roles: ["finance"] } });
        agent.tools.set(tool.name, tool);
      }
      return undefined;
    },
  });
  return {
    harness,
    /** Has the agent ask a question in a conversation of its own. */
    async ask(input: object) {
      const before = harness.model.requests.length;
      const { runId } = await harness.say(callsOf({ name: "request_human_input", input }));
      return {
        async answer(response: unknown) {
          const question = await harness.onlyPending();
          return harness.call("finance", `/approvals/${question.id}/decision`, {
            method: "POST",
            body: { type: "respond", digest: question.digest, response },
          });
        },
        /** What the model is sent after its question. */
        async secondModelRequest() {
          await harness.ended(runId);
          const requests = harness.model.requests.slice(before);
          expect(requests.map(({ error, status }) => error ?? status)).toEqual([200, 200]);
          return JSON.stringify(requests[1]?.body);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

let desk: Awaited<ReturnType<typeof openDesk>>;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk[Symbol.asyncDispose]());

describe("an agent's question", () => {
  it("waits for a person, whose answer becomes the tool's result", async () => {
    const world = await desk.ask({ message: "Which colour?" });
    const question = await desk.harness.onlyPending();
    expect(question).toMatchObject({
      toolName: "request_human_input",
      verdict: "manual",
      input: { message: "Which colour?" },
      decisions: expect.arrayContaining(["respond", "deny"]),
      approvers: { roles: ["finance"] },
    });
    expect((await world.answer({ action: "accept", content: { answer: "Blue" } })).status).toBe(200);
    expect(await world.secondModelRequest()).toContain("Blue");
  });

  it("accepts one of its choices and nothing else", async () => {
    const world = await desk.ask({ message: "Which?", choices: ["red", "blue"] });
    expect(await world.answer({ action: "accept", content: { choice: "green" } })).toMatchObject({
      status: 400,
      body: { code: "invalid_response", errors: [{ field: "response.content.choice" }] },
    });
    expect((await world.answer({ action: "accept", content: { choice: "red" } })).status).toBe(200);
    expect(await world.secondModelRequest()).toContain("red");
  });

  it("accepts a form only if its content matches the form's schema", async () => {
    const world = await desk.ask({ message: "What to send?", form });
    for (const content of [
      { size: "M" },
      { size: "L", count: 1 },
      { size: "M", count: 0 },
      { size: "M", count: 1, more: 1 },
    ]) {
      expect((await world.answer({ action: "accept", content })).status).toBe(400);
    }
    const content = { size: "M", count: 2, gift: true };
    expect((await world.answer({ action: "accept", content })).status).toBe(200);
    expect(await world.secondModelRequest()).toMatch(/count\\+":2/);
  });

  it.each(["decline", "cancel"])("can be answered with %s", async (action) => {
    const world = await desk.ask({ message: "Which colour?" });
    expect((await world.answer({ action, content: { answer: "x" } })).status).toBe(400);
    expect((await world.answer({ action })).status).toBe(200);
    expect(await world.secondModelRequest()).toContain(action);
  });

  it("expires like any other call", async () => {
    const world = await desk.ask({ message: "Which colour?" });
    await desk.harness.onlyPending();
    await desk.harness.clock.advance("31m");
    expect(await world.secondModelRequest()).toContain("approval_expired");
  });

  it("is refused if the policy denies it or its form has nested objects", async () => {
    await using strict = await openDesk(definePolicy({ tools: { request_human_input: deny("Ask nobody") } }));
    const forbidden = await strict.ask({ message: "Which colour?" });
    expect(await forbidden.secondModelRequest()).toContain("Ask nobody");
    const nested = await desk.ask({
      message: "x",
      form: { type: "object", properties: { deep: { type: "object", properties: {} } } },
    });
    expect(await nested.secondModelRequest()).toContain("invalid_input");
  });
});
