// A whole installation in a process of its own: engine, agent with the tools of the server at TRIP_URL, and API.
import { createLocalEngine } from "@countersign/local-engine";
import { mcpTools } from "@countersign/mcp/client";
import { createAdaptorServer } from "@hono/node-server";
import { createAgent, createNetwork, createState, openai } from "@inngest/agent-kit";
import { allow, definePolicy } from "countersign";
import { createCountersign } from "countersign/agent-kit";
import { approvalsApi } from "countersign/hono";
import { postgresStore } from "countersign/postgres";
import { Hono } from "hono";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import postgres from "postgres";

const { DATABASE_URL = "", MODEL_URL = "", TRIP_URL = "", PORT = "0" } = process.env;
const people = {
  requester: { id: "requester", tenantId: "acme", roles: ["requester"] },
  finance: { id: "finance", tenantId: "acme", roles: ["finance"] },
};

const client = postgres(DATABASE_URL, { max: 10, onnotice: () => {} });
const engine = await createLocalEngine({ database: { postgres: client } });
const inngest = new Inngest({ id: "trips", isDev: true, baseUrl: engine.baseUrl, fetch: engine.fetch });
const countersign = createCountersign({
  inngest,
  store: postgresStore({ client }),
  policy: definePolicy({ tools: { "trips-*": allow() } }),
  tenantId: "acme",
  context: () => ({ requester: { id: "requester" } }),
});
const { tools } = await mcpTools({ servers: { trips: { url: TRIP_URL } } });
const agent = createAgent({
  name: "support",
  system: "You book trips.",
  tools,
  model: openai({ model: "gpt-test", apiKey: "test", baseUrl: `${MODEL_URL}/v1` }),
});
const run = inngest.createFunction(
  { id: "agent", retries: 5, triggers: [{ event: "trips/message" }] },
  async ({ event }) => {
    const network = createNetwork({
      name: "desk",
      agents: [agent],
      maxIter: 8,
      history: countersign.history,
      router: ({ lastResult, callCount }) =>
        callCount === 0 || lastResult?.output.some((part) => part.type === "tool_call") ? agent : undefined,
    });
    countersign.guard(network);
    await network.run("Book a trip", { state: createState({}, { threadId: event.data.threadId }) });
    return "done";
  },
);
const app = new Hono()
  .post("/say", async ({ json }) => {
    const { threadId } = await countersign.threads.open({ owner: people.requester });
    await inngest.send({ name: "trips/message", data: { threadId } });
    return json({ threadId });
  })
  .route(
    "/api",
    approvalsApi(countersign, {
      authenticate: (request) =>
        people[request.headers.get("authorization")?.replace("Bearer ", "") ?? ""] ?? null,
      rateLimit: false,
    }),
  );
await engine.registerApp({
  handler: serve({ client: inngest, functions: [...countersign.functions, run] }),
});
await engine.start();
createAdaptorServer({ fetch: app.fetch }).listen(Number(PORT), "127.0.0.1", () => process.send?.("ready"));
