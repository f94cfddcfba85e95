import { aiSdkChat } from "@countersign/chat/ai-sdk";
import { createLocalEngine } from "@countersign/local-engine";
import { scriptedModel } from "@countersign/testing";
import { serve } from "@hono/node-server";
import { createAgent, createNetwork, createState, createTool, openai } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { createCountersign } from "countersign/agent-kit";
import { pgliteStore } from "countersign/pglite";
import { Hono } from "hono";
import { Inngest } from "inngest";
import { serve as serveFunctions } from "inngest/edge";
import { z } from "zod";

export const refunds = [];

const refund = createTool({
  name: "refund",
  parameters: z.object({ orderId: z.string() }),
  handler: ({ orderId }) => {
    refunds.push(orderId);
    return "paid";
  },
});

/** A shop whose agent asks before it refunds, with the chat of `useChat` on a port. */
export async function startShop() {
  const store = pgliteStore();
  await store.migrate();
  const engine = await createLocalEngine({ database: "memory" });
  const inngest = new Inngest({ id: "shop", isDev: true, baseUrl: engine.baseUrl, fetch: engine.fetch });
  const countersign = createCountersign({
    inngest,
    store,
    policy: definePolicy({ tools: { refund: ask({ approvers: { roles: ["finance"] } }) } }),
  });
  const model = await scriptedModel({
    reply: ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === "user") return { toolCalls: [{ name: "refund", input: { orderId: "A-1001" } }] };
      return { text: JSON.stringify(last).includes("No receipt") ? "It was denied." : "It is refunded." };
    },
  }).listen();
  const chat = inngest.createFunction({ id: "chat", triggers: [{ event: "chat" }] }, async ({ event }) => {
    const agent = createAgent({ name: "desk", system: "You help.", tools: [refund] });
    const network = createNetwork({
      name: "shop",
      agents: [agent],
      history: countersign.history,
      defaultModel: openai({ model: "scripted", apiKey: "none", baseUrl: `${model.url}/v1` }),
      router: ({ lastResult }) => (lastResult && lastResult.toolCalls.length === 0 ? undefined : agent),
    });
    const { threadId, text } = event.data;
    await countersign.guard(network).run(text, { state: createState({}, { threadId }) });
  });
  await engine.registerApp({
    handler: serveFunctions({ client: inngest, functions: [...countersign.functions, chat] }),
  });
  await engine.start();
  const app = new Hono().route(
    "/api/chat",
    aiSdkChat(countersign, {
      authenticate: () => ({ id: "finn", tenantId: "default", roles: ["finance"] }),
      startRun: ({ threadId, text }) => inngest.send({ name: "chat", data: { threadId, text } }),
    }),
  );
  const server = await new Promise((resolve) => {
    const listening = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, () => resolve(listening));
  });
  return {
    api: `http://127.0.0.1:${server.address().port}/api/chat`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await engine.stop();
      await model.close();
      await store.close();
    },
  };
}
