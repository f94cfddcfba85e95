import { setTimeout as sleep } from "node:timers/promises";
import { createTestHarness, type HarnessParts, type Redeployed } from "@countersign/testing";
import {
  anthropic,
  createAgent,
  createNetwork,
  createState,
  openai,
  type StateData,
} from "@inngest/agent-kit";
import { allow, ask, definePolicy, deny, type Principal } from "countersign";
import { type ApprovalView, approvalsApi } from "countersign/hono";
import { Hono } from "hono";
import type { Inngest } from "inngest";
import { z } from "zod";
import type { TestDatabase } from "./databases.js";
import type { HarnessOptions, RunWorld, TestNetwork } from "./harness-options.js";
import { interceptedStore } from "./intercepted-store.js";
import { printingLogger } from "./printing-logger.js";
import { pgliteStore, postgresStore, type Store } from "./store.js";

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

/** An installation of the test kit, with an agent of one network and people who sign in at the API. */
export async function openHarness(options: HarnessOptions) {
  const { database, between, onRequest, onEngineRequest, onEvent, served } = options;
  const { context, policy, tenantId, ...further } = options.countersign ?? {};
  const replaying =
    options.checkpointing === undefined ? (options.replaying ?? replayingByDefault) : undefined;
  const states: { data: StateData; kv: Record<string, unknown> }[] = [];
  let opened: Store | undefined;
  let inngest: Inngest | undefined;
  let modelUrl = "";
  const kit = await createTestHarness<StateData>({
    patience: "180s",
    policy: policy ?? options.policy ?? defaultPolicy,
    tenantId: tenantId ?? "acme",
    context: context ?? (({ state }) => ({ requester: { id: String(state.data.requester ?? "requester") } })),
    countersign: { logger, ...further },
    store({ clockOffset }) {
      const plain = storeOn(database, clockOffset);
      opened = between?.(plain) ?? plain;
      // What a test puts between may not be allowed to migrate, and is the test's to close.
      return interceptedStore(opened, { migrate: () => plain.migrate(), close: async () => {} });
    },
    reply: options.reply,
    functions: (parts) => {
      inngest ??= parts.inngest;
      return [agentFunction(options, parts, { states, modelUrl: () => modelUrl })];
    },
    unstable: {
      ...{ onRequest, onEngineRequest, onEvent, replaying, served },
      http: options.transport === "http",
      client: {
        id: "harness",
        ...(options.checkpointing === undefined ? {} : { checkpointing: options.checkpointing }),
      },
      engine: {
        database: database.kind === "pglite" ? { pglite: database.pglite } : { postgres: database.postgres },
        disorder: process.env.ENGINE_DISORDER || undefined,
      },
    },
  });
  const { model, countersign } = kit;
  const { engine, clock } = kit.unstable;
  if (!opened || !inngest) throw new Error("unreachable");
  const modelServer = await model.listen();
  modelUrl = modelServer.url;
  const makeApi = () =>
    new Hono().route(
      "/api",
      approvalsApi(kit.countersign, {
        authenticate: (request) =>
          principals[request.headers.get("authorization")?.replace("Bearer ", "") ?? ""] ?? null,
        // Tests poll the API.
        rateLimit: false,
      }),
    );
  let api = makeApi();

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
    store: opened,
    countersign,
    /** The network's state at the end of each run. */
    states,
    call,
    /** Replaces the process that serves by one with changed options. */
    redeploy(changes: Redeployed) {
      kit.unstable.redeploy(changes);
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
      const { runId } = await kit.send({ name: "harness/message", data: { message, threadId } }, "agent");
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
      await kit[Symbol.asyncDispose]();
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

function storeOn(database: TestDatabase, clockOffset: () => number): Store {
  return database.kind === "pglite"
    ? pgliteStore({ client: database.pglite, clockOffset })
    : postgresStore({ client: database.postgres, clockOffset });
}

/** The function that a message starts: a guarded network of one agent, or what the option `run` does. */
function agentFunction(
  options: HarnessOptions,
  { inngest, countersign }: HarnessParts,
  world: { states: { data: StateData; kv: Record<string, unknown> }[]; modelUrl: () => string },
) {
  const { format = "openai", optimizeParallelism } = options;
  return inngest.createFunction(
    {
      ...{ id: "agent", retries: 1, triggers: [{ event: "harness/message" }] },
      ...(optimizeParallelism === undefined ? {} : { optimizeParallelism }),
    },
    async ({ event, step, group, attempt }) => {
      const { message, threadId } = event.data as { message: string; threadId: string };
      const modelUrl = world.modelUrl();
      const server = { apiKey: "test", baseUrl: `${modelUrl}/v1` };
      const models: RunWorld["models"] = {
        openai: () => openai({ model: "gpt-test", ...server }),
        anthropic: () =>
          anthropic({ model: "claude-test", defaultParameters: { max_tokens: 1000 }, ...server }),
      };
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
          ...{ countersign, agent, state, message, models, step, group, attempt, modelUrl },
          format: ofMessage,
        });
      const network: TestNetwork = createNetwork<StateData>({
        name: "desk",
        agents: [agent],
        maxIter: 8,
        history: countersign.history,
        router: ({ lastResult, callCount }) =>
          callCount === 0 || lastResult?.output.some((part) => part.type === "tool_call") ? agent : undefined,
      });
      countersign.guard(network, options.profile === undefined ? {} : { profile: options.profile });
      const changed = options.network?.(network, step, countersign);
      if (changed) countersign.guard(changed);
      const ended = await (changed ?? network).run(message, { state });
      world.states.push({ data: { ...ended.state.data }, kv: ended.state.kv.all() });
      return "done";
    },
  );
}

/** Without what the harness causes itself: its desks have tools of which a test's policy says nothing, and its engine stops. */
const logger = printingLogger(
  (message, fields) =>
    !message.startsWith("No rule of the policy covers") &&
    !String(fields?.error).includes("engine has stopped"),
);

const replayingByDefault = z
  .enum(["each-step", "each-planned-step"])
  .optional()
  .parse(process.env.ALWAYS_REPLAYING || undefined);
