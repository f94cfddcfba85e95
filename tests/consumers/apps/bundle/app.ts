import { createLocalEngine } from "@countersign/local-engine";
import { scriptedModel } from "@countersign/testing";
import { createAgent, createNetwork, createTool, openai } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { createCountersign } from "countersign/agent-kit";
import { createApprovalsClient } from "countersign/client";
import { approvalsApi } from "countersign/hono";
import { postgresStore } from "countersign/postgres";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import postgres from "postgres";
import { z } from "zod";

async function main() {
  const url = process.env.DATABASE_URL ?? "";
  const store = postgresStore({ url });
  await store.migrate();
  const engineSql = postgres(url, { onnotice: () => {} });
  const engine = await createLocalEngine({ database: { postgres: engineSql } });
  const inngest = new Inngest({ id: "shop", isDev: true, baseUrl: engine.baseUrl, fetch: engine.fetch });
  const countersign = createCountersign({
    inngest,
    store,
    policy: definePolicy({ tools: { refund: ask({ approvers: { roles: ["finance"] } }) } }),
  });
  const refund = createTool({
    name: "refund",
    parameters: z.object({ orderId: z.string() }),
    handler: ({ orderId }) => {
      console.log(`refunded ${orderId}`);
      return "paid";
    },
  });
  const model = scriptedModel({
    reply: ({ messages }) =>
      messages.at(-1)?.role === "user"
        ? { toolCalls: [{ name: "refund", input: { orderId: "A-1001" } }] }
        : { text: "It is refunded." },
  });
  const listening = await model.listen();
  const chat = inngest.createFunction({ id: "chat", triggers: [{ event: "chat" }] }, async () => {
    const agent = createAgent({ name: "desk", system: "You help.", tools: [refund] });
    const network = createNetwork({
      name: "shop",
      agents: [agent],
      defaultModel: openai({ model: "scripted", apiKey: "none", baseUrl: `${listening.url}/v1` }),
      router: ({ lastResult }) => (lastResult && lastResult.toolCalls.length === 0 ? undefined : agent),
    });
    const { state } = await countersign.guard(network).run("Refund A-1001");
    return state.results.length;
  });
  await engine.registerApp({
    handler: serve({ client: inngest, functions: [...countersign.functions, chat] }),
  });
  await engine.start();

  const api = approvalsApi(countersign, {
    authenticate: async () => ({ id: "finn", tenantId: "default", roles: ["finance"] }),
  });
  const approvals = createApprovalsClient({
    baseUrl: "http://shop.test",
    fetch: async (request) => api.fetch(request),
  });
  await inngest.send({ name: "chat" });
  await engine.idle();
  const [waiting] = (await approvals.listApprovals({ query: { status: "pending" } })).items;
  if (!waiting) throw new Error("Nothing waits for a decision");
  await approvals.decide({ id: waiting.id, body: { type: "approve", digest: waiting.digest } });
  await engine.idle();
  const { status } = await approvals.getApproval({ id: waiting.id });
  if (status !== "executed") throw new Error(`The call is ${status}`);
  await engine.stop();
  await engineSql.end();
  await listening.close();
  await store.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
