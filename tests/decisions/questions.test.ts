import { allow, definePolicy, deny } from "countersign";
import type { Reply } from "countersign/testing";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const ask = (input: object): Reply => ({ toolCalls: [{ name: "request_human_input", input }] });
const form = {
  type: "object",
  properties: {
    size: { type: "string", enum: ["S", "M"] },
    count: { type: "integer", minimum: 1 },
    gift: { type: "boolean" },
  },
  required: ["size", "count"],
};

async function openQuestion(question: object, policy = definePolicy({ tools: { lookup: allow() } })) {
  const database = await freshPostgres();
  const harness = await openHarness({
    database,
    tools: [],
    policy,
    reply: inTurns(ask(question)),
    network: (network, _step, countersign) => {
      for (const agent of network.agents.values()) {
        const tool = countersign.requestHumanInput({ approvers: { roles: ["finance"] } });
        agent.tools.set(tool.name, tool);
      }
      return undefined;
    },
  });
  const { runId } = await harness.say("Help me");
  return {
    harness,
    runId,
    async answer(response: unknown) {
      const question = await harness.onlyPending();
      return harness.call("finance", `/approvals/${question.id}/decision`, {
        method: "POST",
        body: { type: "respond", digest: question.digest, response },
      });
    },
    async secondModelRequest() {
      await harness.ended(runId);
      expect(harness.model.requests.map(({ error, status }) => error ?? status)).toEqual([200, 200]);
      return JSON.stringify(harness.model.requests[1]?.body);
    },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

describe("an agent's question", () => {
  it("waits for a person, whose answer becomes the tool's result", async () => {
    await using world = await openQuestion({ message: "Which colour?" });
    const question = await world.harness.onlyPending();
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
    await using world = await openQuestion({ message: "Which?", choices: ["red", "blue"] });
    expect(await world.answer({ action: "accept", content: { choice: "green" } })).toMatchObject({
      status: 400,
      body: { code: "invalid_response", errors: [{ field: "response.content.choice" }] },
    });
    expect((await world.answer({ action: "accept", content: { choice: "red" } })).status).toBe(200);
    expect(await world.secondModelRequest()).toContain("red");
  });

  it("accepts a form only if its content matches the form's schema", async () => {
    await using world = await openQuestion({ message: "What to send?", form });
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
    await using world = await openQuestion({ message: "Which colour?" });
    expect((await world.answer({ action, content: { answer: "x" } })).status).toBe(400);
    expect((await world.answer({ action })).status).toBe(200);
    expect(await world.secondModelRequest()).toContain(action);
  });

  it("expires like any other call", async () => {
    await using world = await openQuestion({ message: "Which colour?" });
    await world.harness.onlyPending();
    await world.harness.clock.advance("31m");
    expect(await world.secondModelRequest()).toContain("approval_expired");
  });

  it("is refused if the policy denies it or its form has nested objects", async () => {
    await using forbidden = await openQuestion(
      { message: "Which colour?" },
      definePolicy({ tools: { request_human_input: deny("Ask nobody") } }),
    );
    expect(await forbidden.secondModelRequest()).toContain("Ask nobody");
    await using nested = await openQuestion({
      message: "x",
      form: { type: "object", properties: { deep: { type: "object", properties: {} } } },
    });
    expect(await nested.secondModelRequest()).toContain("invalid_input");
  });
});
