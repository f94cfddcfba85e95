import { createLocalEngine } from "@countersign/local-engine";
import { scriptedModel } from "@countersign/testing";
import { createAgent, createTool, openai } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { createCountersign } from "countersign/agent-kit";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import { expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { eventually } from "../support/harness.js";
import { postgresStore } from "../support/store.js";

it("two instances on one Inngest client each keep and decide their own calls, in one run", async () => {
  await using first = await freshPostgres();
  await using second = await freshPostgres();
  const engine = await createLocalEngine({ database: { postgres: first.postgres } });
  const inngest = new Inngest({
    id: "app",
    isDev: true,
    baseUrl: engine.baseUrl,
    fetch: engine.fetch as never,
  });
  const payments: string[] = [];
  const model = scriptedModel({ reply: inTurns({ toolCalls: [{ name: "pay", input: {} }] }) });
  const server = await model.listen();
  const desks = [first, second].map((database, index) => {
    const id = index === 0 ? undefined : "billing";
    const store = postgresStore({ client: database.postgres });
    const countersign = createCountersign({
      inngest,
      store,
      policy: definePolicy({ tools: { pay: ask() } }),
      ...(id && { id }),
    });
    const pay = createTool({
      name: "pay",
      parameters: z.object({}),
      handler: () => payments.push(id ?? "default"),
    });
    const agent = createAgent({
      name: `agent-${index}`,
      system: "You pay.",
      tools: [pay],
      model: openai({ model: "gpt-test", apiKey: "test", baseUrl: `${server.url}/v1` }),
    });
    return { store, countersign, agent: countersign.guard(agent) };
  });
  for (const { store } of desks) await store.migrate();
  const run = inngest.createFunction({ id: "run", triggers: [{ event: "run" }] }, async () => {
    await Promise.all(desks.map(({ agent }) => agent.run("Pay")));
    return "done";
  });
  const functions = [...desks.flatMap(({ countersign }) => countersign.functions), run];
  expect(functions.map((each) => each.id())).toEqual([
    ...["orchestrator", "relay", "withdrawal", "canary", "deliver", "undo"].map(
      (name) => `countersign-${name}`,
    ),
    ...["orchestrator", "relay", "withdrawal", "canary", "deliver", "undo"].map((name) => `billing-${name}`),
    "run",
  ]);
  await engine.start();
  try {
    await engine.registerApp({ handler: serve({ client: inngest, functions }) });
    await inngest.send({ name: "run", data: {} });
    for (const { store, countersign } of desks) {
      const [approval, other] = await eventually(async () => {
        const found = await store.listApprovals({ tenantId: "default", limit: 10 });
        return found[0]?.status === "pending" ? found : undefined;
      }, "the instance's own call waits");
      if (!approval) throw new Error("unreachable");
      expect(other).toBeUndefined();
      const principal = { id: "ada", tenantId: "default", roles: [] };
      const { id: approvalId, digest } = approval;
      await countersign.decide({ approvalId, digest, principal, type: "approve", reason: null });
    }
    await eventually(() => (payments.length === 2 ? true : undefined), "both have paid");
    expect(payments.sort()).toEqual(["billing", "default"]);
  } finally {
    await engine.idle();
    for (const { countersign } of desks) await countersign.close();
    await engine.stop();
    await server.close();
  }
});
