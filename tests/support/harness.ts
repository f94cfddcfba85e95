import { setTimeout as sleep } from "node:timers/promises";
import { createLocalEngine, createTestClock } from "@countersign/local-engine";
import {
  anthropic,
  createAgent,
  createNetwork,
  createState,
  openai,
  type StateData,
} from "@inngest/agent-kit";
import {
  allow,
  ask,
  type CountersignOptions,
  createCountersign,
  definePolicy,
  deny,
  type Principal,
} from "countersign";
import { type ApprovalView, approvalsApi } from "countersign/hono";
import { scriptedModel } from "countersign/testing";
import { Hono } from "hono";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import { z } from "zod";
import type { Handle, HarnessOptions, RunWorld, TestNetwork } from "./harness-options.js";
import { listenOn } from "./http/listen-on.js";
import { printingLogger } from "./printing-logger.js";
import type { SentEvent } from "./recording-inngest.js";
import { pgliteStore, postgresStore } from "./store.js";

/** Who signs in with which token. */
export const principals: Record<string, Principal> = {
  requester: { id: "requester", tenantId: "acme", roles: ["requester"] },
  finance: { id: "finance", tenantId: "acme", roles: ["finance"] },
  lead: { id: "lead", tenantId: "acme", roles: ["lead"] },
  auditor: { id: "auditor", tenantId: "acme", roles: ["auditor"] },
  stranger: { id: "stranger", tenantId: "other", roles: ["finance"] },
};

export const defaultPolicy = definePolicy({
  tools: {
    lookup: allow(),
    refund: ask({ approvers: { roles: ["finance", "lead"] } }),
    email: ask(),
    erase: deny("Never"),
  },
});

export type Harness = Awaited<ReturnType<typeof openHarness>>;

/** A whole installation in this process: engine, store, agent, model server and API, none of them a stand-in. */
export async function openHarness(options: HarnessOptions) {
  const clock = createTestClock();
  const clockOffset = () => clock.now() - Date.now();
  const { database } = options;
  const plainStore =
    database.kind === "pglite"
      ? pgliteStore({ client: database.pglite, clockOffset })
      : postgresStore({ client: database.postgres, clockOffset });
  await plainStore.migrate();
  const store = options.between?.(plainStore) ?? plainStore;
  const disorder = options.disorder ?? (process.env.ENGINE_DISORDER || undefined);
  const engine = await createLocalEngine({
    database: database.kind === "pglite" ? { pglite: database.pglite } : { postgres: database.postgres },
    clock,
    logger: { warn: () => {}, error: () => {} },
    ...(disorder === undefined ? {} : { disorder }),
  });
  const model = scriptedModel({ reply: options.reply });
  const modelServer = await model.listen();
  const { format = "openai" } = options;
  const server = { apiKey: "test", baseUrl: `${modelServer.url}/v1` };
  const models: RunWorld["models"] = {
    openai: () => openai({ model: "gpt-test", ...server }),
    anthropic: () => anthropic({ model: "claude-test", defaultParameters: { max_tokens: 1000 }, ...server }),
  };
  const overHttp = options.transport === "http";
  const { onRequest, onEngineRequest } = options;
  const askEngine: Handle = (request) =>
    onEngineRequest ? onEngineRequest(request, engine.fetch) : engine.fetch(request);
  const engineServer = overHttp ? await listenOn(askEngine) : undefined;
  const replaying =
    options.checkpointing === undefined ? (options.replaying ?? replayingByDefault) : undefined;
  const checkpointing = replaying ? false : options.checkpointing;
  const states: { data: StateData; kv: Record<string, unknown> }[] = [];
  let redeployed: Partial<CountersignOptions> = {};
  /** Without what the harness causes itself: its desks have tools of which a test's policy says nothing, and its engine stops. */
  const logger = printingLogger(
    (message, fields) =>
      !message.startsWith("No rule of the policy covers") &&
      !String(fields?.error).includes("engine has stopped"),
  );
  const makeApp = () => {
    const inngest = new Inngest({
      id: "harness",
      isDev: true,
      baseUrl: engineServer?.url ?? engine.baseUrl,
      ...(overHttp ? {} : { fetch: deliver(askEngine, options.onEvent) }),
      ...(checkpointing === undefined ? {} : { checkpointing }),
      logger: silentLogger,
    });
    const countersign = createCountersign({
      inngest,
      store,
      policy: options.policy ?? defaultPolicy,
      tenantId: "acme",
      logger,
      context: ({ state }) => ({ requester: { id: String(state.data.requester ?? "requester") } }),
      ...options.countersign,
      ...redeployed,
    });
    const agentFunction = inngest.createFunction(
      {
        ...{ id: "agent", retries: 1, triggers: [{ event: "harness/message" }] },
        ...(options.optimizeParallelism === undefined
          ? {}
          : { optimizeParallelism: options.optimizeParallelism }),
      },
      async ({ event, step, group, attempt }) => {
        const { message, threadId } = event.data as { message: string; threadId: string };
        const ofMessage = typeof format === "function" ? format(message) : format;
        const agent = createAgent<StateData>({
          name: "support",
          system: "You help customers.",
          tools: options.tools,
          model: models[ofMessage](),
          ...options.agent,
        });
        const state = createState<StateData>({ requester: "requester" }, { threadId });
        if (options.run)
          return options.run({
            ...{ countersign, agent, state, message, models, step, group, attempt },
            ...{ modelUrl: modelServer.url, format: ofMessage },
          });
        const network: TestNetwork = createNetwork<StateData>({
          name: "desk",
          agents: [agent],
          maxIter: 8,
          history: countersign.history,
          router: ({ lastResult, callCount }) =>
            callCount === 0 || lastResult?.output.some((part) => part.type === "tool_call")
              ? agent
              : undefined,
        });
        countersign.guard(network, options.profile === undefined ? {} : { profile: options.profile });
        const changed = options.network?.(network, step, countersign);
        if (changed) countersign.guard(changed);
        const ended = await (changed ?? network).run(message, { state });
        states.push({ data: { ...ended.state.data }, kv: ended.state.kv.all() });
        return "done";
      },
    );
    const own = options.served?.(countersign.functions, inngest) ?? countersign.functions;
    return { inngest, countersign, handle: serve({ client: inngest, functions: [...own, agentFunction] }) };
  };
  let running = makeApp();
  const { inngest, countersign } = running;
  const app: Handle = replaying
    ? async (request) =>
        makeApp().handle(replaying === "each-planned-step" ? await planning(request) : request)
    : (request) => running.handle(request);
  const handler: Handle = (request) => (onRequest ? onRequest(request, app) : app(request));
  const appServer = overHttp ? await listenOn(handler) : undefined;
  const makeApi = () =>
    new Hono().route(
      "/api",
      approvalsApi(running.countersign, {
        authenticate: (request) =>
          principals[request.headers.get("authorization")?.replace("Bearer ", "") ?? ""] ?? null,
        // Tests poll the API.
        rateLimit: false,
      }),
    );
  let api = makeApi();
  await engine.start();
  if (appServer) await engine.syncApp(`${appServer.url}/api/inngest`);
  else await engine.registerApp({ handler });

  const request = (token: string, path: string, init: RequestInit = {}) =>
    api.request(`/api${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...init.headers },
    });
  const call = async (token: string, path: string, init: { method?: string; body?: unknown } = {}) => {
    const response = await request(token, path, {
      method: init.method ?? "GET",
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : undefined };
  };

  /** Polls `look` once the engine is at rest, or after 300 ms, because a run may wait for the test. */
  const onceAtRest = <T>(look: () => Promise<T | undefined>, what: string) =>
    eventually(async () => {
      const looked = new AbortController();
      const soon = sleep(300, undefined, { signal: looked.signal }).catch(() => {});
      await Promise.race([engine.idle(), soon]);
      looked.abort();
      return look();
    }, what);

  const harness = {
    clock,
    engine,
    inngest,
    model,
    store,
    countersign,
    /** The network's state at the end of each run. */
    states,
    call,
    /** Replaces the process that serves by one with changed options. */
    redeploy(changes: Partial<CountersignOptions>) {
      redeployed = { ...redeployed, ...changes };
      running = makeApp();
      api = makeApi();
    },
    /** Sends a request to the API and returns the raw response, for bodies that are not a JSON value. */
    request,
    /** Sends a message to the agent; resolves once its run exists. */
    async say(message: string, thread?: string) {
      const { threadId } = await countersign.threads.open({
        owner: principals.requester as Principal,
        ...(thread ? { threadId: thread } : {}),
      });
      const { ids } = await inngest.send({ name: "harness/message", data: { message, threadId } });
      const runId = await eventually(async () => {
        const response = await engine.fetch(
          `${engine.baseUrl}/v1/events/${ids[0]}/runs?at=${performance.now()}`,
        );
        const { data } = (await response.json()) as { data: { run_id: string }[] };
        return data[0]?.run_id;
      }, "the run exists");
      return { threadId, runId };
    },
    onceAtRest,
    /** Waits for exactly this many pending approvals. */
    pending: (count: number): Promise<ApprovalView[]> =>
      onceAtRest(async () => {
        const { body } = await call("finance", "/approvals?status=pending");
        return body.items.length === count ? body.items : undefined;
      }, `${count} pending approvals`),
    /** Waits for the only pending approval. */
    async onlyPending(): Promise<ApprovalView> {
      const [approval] = await harness.pending(1);
      if (!approval) throw new Error("unreachable");
      return approval;
    },
    /** Waits for a pending approval other than `previous`. */
    nextPending: (previous: { id: string }): Promise<ApprovalView> =>
      onceAtRest<ApprovalView>(async () => {
        const { body } = await call("finance", "/approvals?status=pending");
        return body.items.find((item: ApprovalView) => item.id !== previous.id);
      }, "the next pending approval"),
    decide: (
      approval: { id: string; digest: string },
      type: "approve" | "deny",
      token = "finance",
      reason?: string,
    ) =>
      call(token, `/approvals/${approval.id}/decision`, {
        method: "POST",
        body: { type, digest: approval.digest, ...(reason ? { reason } : {}) },
      }),
    async approval(id: string): Promise<ApprovalView> {
      return (await call("finance", `/approvals/${id}`)).body;
    },
    async runStatus(runId: string): Promise<{ status: string; output: unknown }> {
      const response = await engine.fetch(`${engine.baseUrl}/v1/runs/${runId}`);
      return ((await response.json()) as { data: { status: string; output: unknown } }).data;
    },
    /** The engine's runs of one function of Countersign, newest last. */
    async functionRuns(functionId: string): Promise<{ id: string; status: string }[]> {
      const name = `harness-${functionId}`;
      const statement = "select id, status from local_engine.run where function_id = $1 order by id";
      if (database.kind === "postgres")
        return [...(await database.postgres.unsafe(statement, [name]))] as never;
      return (await database.pglite.query<{ id: string; status: string }>(statement, [name])).rows;
    },
    /** Waits until the run has ended with this status. Throws at once if it ended with another one. */
    ended: (runId: string, status = "Completed") =>
      onceAtRest(async () => {
        const run = await harness.runStatus(runId);
        if (run.status === status) return run;
        if (run.status !== "Running") throw new Error(`run ${run.status}: ${JSON.stringify(run.output)}`);
        return undefined;
      }, `run ${status}`),
    async [Symbol.asyncDispose]() {
      await engine.stop();
      appServer?.close();
      engineServer?.close();
      await modelServer.close();
    },
  };
  return harness;
}

/** Calls `look` until it returns something. After the timeout, it throws an error that names `what` it waited for. */
export async function eventually<T>(
  look: () => Promise<T | undefined> | T | undefined,
  what: string,
  timeout = 180_000,
): Promise<T> {
  const over = new AbortController();
  const tooLate = sleep(timeout, undefined, { signal: over.signal, ref: false }).then(() => {
    throw new Error(`Timed out waiting for: ${what}`);
  });
  tooLate.catch(() => {});
  try {
    // A request to the API costs ten statements, so the pauses grow.
    for (let pause = 20; ; pause = Math.min(pause * 1.5, 150)) {
      const found = await Promise.race([look(), tooLate]);
      if (found !== undefined) return found;
      await Promise.race([sleep(pause), tooLate]);
    }
  } finally {
    over.abort();
  }
}

/** Wraps the engine's `fetch`, so that events are lost or repeated as `onEvent` says. */
function deliver(fetch: Handle, onEvent: HarnessOptions["onEvent"]): typeof globalThis.fetch {
  return async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (!onEvent || !new URL(url).pathname.startsWith("/e/")) return fetch(new Request(input, init));
    const sent = JSON.parse(String(init?.body)) as SentEvent[];
    const arriving = [];
    for (const event of sent) {
      const fate = await onEvent(event);
      if (fate !== "drop") arriving.push(event);
      if (fate === "twice") arriving.push(event);
    }
    return fetch(new Request(input, { ...init, body: JSON.stringify(arriving) }));
  };
}

const silentLogger = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };

const replayingByDefault = z
  .enum(["each-step", "each-planned-step"])
  .optional()
  .parse(process.env.ALWAYS_REPLAYING || undefined);

/** The same request, in which only a step that the request names may run. */
async function planning(request: Request): Promise<Request> {
  if (request.method !== "POST") return request;
  const body = (await request.json()) as { ctx: object };
  const ctx = { ...body.ctx, disable_immediate_execution: true };
  return new Request(request, { body: JSON.stringify({ ...body, ctx }) });
}
