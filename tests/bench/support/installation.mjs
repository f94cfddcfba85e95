import { scriptedModel } from "@countersign/testing";
import { createAgent, createNetwork, createState, createTool, openai } from "@inngest/agent-kit";
import { allow, ask, definePolicy } from "countersign";
import { createCountersign } from "countersign/agent-kit";
import { approvalsApi } from "countersign/hono";
import { postgresStore } from "countersign/postgres";
import { Hono } from "hono";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import postgres from "postgres";
import { z } from "zod";
import { localEngine, realServer } from "./engines.mjs";

/** Who decides. */
export const finance = { id: "finance", tenantId: "acme", roles: ["finance"] };

export const policy = definePolicy({
  tools: { lookup: allow(), refund: ask({ approvers: { roles: ["finance"] } }) },
});

const quiet = { info: () => {}, warn: () => {}, error: console.error, debug: () => {} };

/**
 * @typedef {object} InstallationOptions
 * @property {(inngest: Inngest) => import("inngest").InngestFunction.Any[]} [functions] further functions of the app
 * @property {import("countersign").CountersignOptions["limits"]} [limits]
 * @property {boolean} [plain] leaves AgentKit as it is: no guard, no history
 * @property {string} [serverUrl] an Inngest server that runs the app, instead of the local engine
 * @property {string} [appId] names the app and its events, where a server has several apps
 * @property {(id: string, step: import("inngest").GetStepTools<Inngest>) => Promise<unknown>} [beforeTool] what a call of `refund` does first
 * @property {boolean} [toolInStep] whether the handler of `refund` runs in a step of its own
 * @property {(step: import("inngest").GetStepTools<Inngest>) => Parameters<typeof createAgent>[0]["lifecycle"]} [lifecycle] hooks of the agent
 * @property {import("countersign").Store} [publisherStore] the store of what is published after commits, which nobody waits for
 * @property {import("@countersign/local-engine").Clock} [clock] of the local engine
 * @property {(bytes: number, kind: "to app" | "from app" | "to engine" | "from engine") => void} [onTraffic]
 * @property {(text: string, by: "product" | "engine") => void} [onStatement] is told each statement that is sent
 */

/** @typedef {Awaited<ReturnType<typeof install>>} Installation */

/**
 * Countersign with an agent, the local engine and a scripted model in this process, on a real Postgres. A message to the
 * agent is `{ tool, calls, id }`: the model answers it with so many calls of this tool, and the run ends once they ran, or
 * after a second answer where `turns` is 2; `history` keeps the conversation. With `serverUrl`, the app is served over HTTP to that server.
 *
 * @param {string} url
 * @param {InstallationOptions} [options]
 */
export async function install(url, options = {}) {
  const { appId = "bench", serverUrl } = options;
  /** @param {"product" | "engine"} by */
  const connect = (by) =>
    postgres(url, {
      max: 10,
      onnotice: () => {},
      ...(options.onStatement ? { debug: (_, text) => options.onStatement?.(text, by) } : {}),
    });
  const sql = connect("product");
  const store = postgresStore({ client: sql });
  await store.migrate();
  const engineSql = serverUrl === undefined ? connect("engine") : undefined;
  const engine = engineSql ? await localEngine(engineSql, quiet, options.clock) : realServer(serverUrl ?? "");
  const model = scriptedModel({ reply: answer });
  const modelServer = await model.listen();
  const { onTraffic } = options;
  const inngest = new Inngest({
    id: appId,
    isDev: true,
    baseUrl: engine.baseUrl,
    fetch: onTraffic ? counted(engine.fetch, onTraffic, ["to engine", "from engine"]) : engine.fetch,
    logger: quiet,
  });
  const committed = watchDecisions(store);
  const { publisherStore: publisher = store } = options;
  const countersign = createCountersign({
    inngest,
    store: {
      ...committed.store,
      readUnpublished: publisher.readUnpublished,
      markPublished: publisher.markPublished,
    },
    policy,
    tenantId: "acme",
    signingKey: "only for benchmarks, and at least 32 bytes",
    ...(options.limits ? { limits: options.limits } : {}),
  });

  /** @type {(id: string) => void} */
  let onTool = () => {};
  /** @type {(id: string) => void} */
  let onEnd = () => {};
  /** @param {"refund" | "lookup"} name */
  const tool = (name) =>
    createTool({
      name,
      description: name,
      parameters: z.object({ id: z.string() }),
      handler: async ({ id }, { step }) => {
        if (name === "refund") await options.beforeTool?.(id, step);
        const run = () => {
          onTool(id);
          return { done: id };
        };
        return name === "refund" && options.toolInStep && step ? step.run(`refund ${id}`, run) : run();
      },
    });
  const agentFunction = inngest.createFunction(
    { id: "agent", retries: 0, triggers: [{ event: `${appId}/message` }] },
    async ({ event, step }) => {
      const { turns, history, ...message } = event.data;
      const agent = createAgent({
        name: "support",
        system: "You help customers.",
        tools: [tool("refund"), tool("lookup")],
        model: openai({ model: "scripted", apiKey: "any", baseUrl: `${modelServer.url}/v1` }),
        ...(options.lifecycle ? { lifecycle: options.lifecycle(step) } : {}),
      });
      const network = createNetwork({
        name: "desk",
        agents: [agent],
        maxIter: turns,
        router: ({ callCount }) => (callCount < turns ? agent : undefined),
        ...(history ? { history: countersign.history } : {}),
      });
      if (!options.plain) countersign.guard(network);
      await network.run(JSON.stringify(message), { state: createState({}, { threadId: message.id }) });
      onEnd(message.id);
    },
  );
  const app = serve({
    client: inngest,
    functions: [
      ...(options.plain ? [] : countersign.functions),
      agentFunction,
      ...(options.functions?.(inngest) ?? []),
    ],
  });
  await engine.run(onTraffic ? counted(app, onTraffic, ["to app", "from app"]) : app);

  return {
    sql,
    store,
    engine,
    inngest,
    countersign,
    decisionCommitted: committed.at,
    api: new Hono().route(
      "/api",
      approvalsApi(countersign, { authenticate: () => finance, rateLimit: false }),
    ),
    /** Is told each call whose handler starts. @param {(id: string) => void} listener */
    onTool(listener) {
      onTool = listener;
    },
    /** Is told each message whose run ends. @param {(id: string) => void} listener */
    onEnd(listener) {
      onEnd = listener;
    },
    /** @param {{ id: string, tool?: "refund" | "lookup", calls?: number, turns?: number, history?: boolean }} message */
    async say({ id, tool: name = "refund", calls = 1, turns = 1, history = false }) {
      await inngest.send({ name: `${appId}/message`, data: { id, tool: name, calls, turns, history } });
    },
    /** What waits, once nothing else is going on. */
    async pending() {
      await engine.idle();
      return allPending(store);
    },
    async close() {
      await engine.stop();
      await modelServer.close();
      await sql.end();
      await engineSql?.end();
    },
  };
}

/** @type {import("@countersign/testing").ScriptedModelOptions["reply"]} */
function answer({ messages }) {
  const asked = messages.at(-1);
  if (asked?.role !== "user") return { text: "Done." };
  const { tool, calls, id } = JSON.parse(asked.text);
  return {
    toolCalls: Array.from({ length: calls }, (_, index) => ({
      name: tool,
      input: { id: calls === 1 ? id : `${id} ${index}` },
    })),
  };
}

/** @param {import("countersign").Store} store */
async function allPending(store) {
  const found = [];
  /** @type {{ at: Date, id: string } | undefined} */
  let after;
  for (;;) {
    const page = await store.listApprovals({
      tenantId: "acme",
      statuses: ["pending"],
      limit: 100,
      ...(after ? { after } : {}),
    });
    found.push(...page);
    const last = page.at(-1);
    if (!last || page.length < 100) return found;
    after = { at: last.createdAt, id: last.id };
  }
}

/** Notes when each decision was committed. @param {import("countersign").Store} store */
function watchDecisions(store) {
  /** @type {Map<string, number>} */
  const at = new Map();
  return {
    at,
    /** @type {import("countersign").Store} */
    store: {
      ...store,
      async decide(input, signer) {
        const result = await store.decide(input, signer);
        at.set(input.approvalId, performance.now());
        return result;
      },
    },
  };
}

/**
 * @template {(input: Request) => Promise<Response>} Fetch
 * @param {(input: any, init?: RequestInit) => Promise<Response>} fetch
 * @param {NonNullable<InstallationOptions["onTraffic"]>} onTraffic
 * @param {["to app", "from app"] | ["to engine", "from engine"]} kinds
 */
function counted(fetch, onTraffic, [there, back]) {
  /** @param {string | URL | Request} input @param {RequestInit} [init] */
  return async (input, init) => {
    const request = new Request(input, init);
    onTraffic((await request.clone().arrayBuffer()).byteLength, there);
    const response = await fetch(request);
    onTraffic((await response.clone().arrayBuffer()).byteLength, back);
    return response;
  };
}
