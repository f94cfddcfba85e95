// The process under load, as an application has it: an agent, Countersign's functions, the approvals API, and retention.
import { readdirSync } from "node:fs";
import { prune } from "@countersign/cli/operating";
import { serve } from "@hono/node-server";
import { createAgent, createNetwork, createState, createTool, openai } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { createCountersign } from "countersign/agent-kit";
import { approvalsApi } from "countersign/hono";
import { postgresStore } from "countersign/postgres";
import { Hono } from "hono";
import { Inngest } from "inngest";
import { serve as serveInngest } from "inngest/edge";
import { z } from "zod";

const [appId = "", databaseUrl = "", engineUrl = "", modelUrl = ""] = process.argv.slice(2);

/**
 * Retention removes nothing younger than a day, and seals no entry of the audit log younger than thirty. So all of this lives
 * forty days in the past, and only retention's look at the clock is in the present: what is `keptMinutes` old is that much more.
 */
const pastMinutes = 40 * 24 * 60;
const keptMinutes = 2;
const pruneMs = 15_000;

const quiet = { info: () => {}, warn: () => {}, error: console.error, debug: () => {} };
const inngest = new Inngest({ id: appId, isDev: true, baseUrl: engineUrl, logger: quiet });
const policy = definePolicy({
  tools: { refund: ask({ approvers: { roles: ["finance"] }, timeout: "30s" }) },
});
/** @param {import("countersign").Store} store */
const countersignOn = (store) =>
  createCountersign({
    inngest,
    store,
    policy,
    tenantId: "acme",
    // A proof stays until it has run out, and with it its part of the audit log.
    signingKey: {
      current: { id: "soak", secret: "only for the soak, and at least 32 bytes" },
      ttl: `${keptMinutes}m`,
    },
    limits: { pendingPerRequester: 100_000, pendingPerTenant: 100_000 },
  });
// Few connections: each keeps its prepared statements, and a light load takes long to warm up many of them.
const store = postgresStore({ url: databaseUrl, max: 4, clockOffset: () => -pastMinutes * 60_000 });
const countersign = countersignOn(store);
const keeper = countersignOn({ ...store, now: async () => new Date() });

/** @type {Map<string, number>} */
const starts = new Map();
const agentRun = inngest.createFunction(
  { id: "agent", triggers: [{ event: `${appId}/message` }] },
  async ({ event }) => {
    const { id } = event.data;
    const agent = createAgent({
      name: "support",
      system: "You help customers.",
      tools: [
        createTool({
          name: "refund",
          description: "Refunds an order",
          parameters: z.object({ id: z.string(), reason: z.string() }),
          handler: async (input) => {
            starts.set(input.id, (starts.get(input.id) ?? 0) + 1);
            return { refunded: input.id };
          },
        }),
      ],
      model: openai({ model: "scripted", apiKey: "any", baseUrl: `${modelUrl}/v1` }),
    });
    const network = createNetwork({
      name: "desk",
      agents: [agent],
      maxIter: 2,
      history: countersign.history,
      router: ({ callCount }) => (callCount < 2 ? agent : undefined),
    });
    countersign.guard(network);
    await network.run(id, { state: createState({}, { threadId: id }) });
  },
);

const api = approvalsApi(countersign, {
  authenticate: () => ({ id: "finance", tenantId: "acme", roles: ["finance"] }),
  rateLimit: false,
});
const functions = [...countersign.functions, agentRun];
/** @type {ReturnType<typeof serveInngest> | undefined} */
let handler;
const app = new Hono().all("/api/inngest", (c) => handler?.(c.req.raw) ?? c.text("Not ready", 503));
app.route("/api", api);
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  const url = `http://127.0.0.1:${port}`;
  handler = serveInngest({ client: inngest, functions, serveOrigin: url });
  process.send?.({ type: "ready", url });
});

let prunes = 0;
const pruneOnce = async () => {
  const age = `${pastMinutes + keptMinutes}m`;
  await prune(keeper, { olderThan: { requests: age, threads: age, proofs: age, audit: age } });
  prunes++;
};
const pruning = async () => {
  await pruneOnce().catch((error) => console.error("prune:", error));
  setTimeout(pruning, pruneMs);
};
setTimeout(pruning, pruneMs);

process.on("message", async () => {
  for (let n = 0; n < 5; n++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({
    type: "sample",
    heap: heapUsed,
    external,
    rss,
    handles: process.getActiveResourcesInfo().length,
    files: process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0,
    prunes,
    started: [...starts],
  });
  // What the driver has heard of need not be in this process's heap.
  starts.clear();
});
process.on("disconnect", () => process.exit(0));
