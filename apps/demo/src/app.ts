import { inboxPage } from "@countersign/inbox/server";
import { createCountersign } from "countersign";
import { anyOf, cookieSessionAuthenticator } from "countersign/auth";
import { approvalsApi } from "countersign/hono";
import { pgliteStore } from "countersign/pglite";
import { openPolicy } from "countersign/policy";
import { postgresStore } from "countersign/postgres";
import { type ScriptedModel, scriptedModel } from "countersign/testing";
import { Hono } from "hono";
import { NonRetriableError } from "inngest";
import { serve } from "inngest/edge";
import { z } from "zod";
import { chooseModel } from "./agent/choose-model.js";
import { supportScript } from "./agent/script.js";
import type { DemoConfig } from "./config.js";
import { authenticate, colleaguesOf, demoTenant, personWith } from "./demo-principals.js";
import type { DatabaseClient } from "./desk/database.js";
import { openDesk } from "./desk/open-desk.js";
import { type EngineConnection, localEngine, remoteEngine, servePath } from "./engine/connect-engine.js";
import { findRun } from "./engine/find-run.js";
import { chatRoute } from "./http/chat.js";
import { effectsRoute } from "./http/effects.js";
import { type Listener, listen } from "./http/listen.js";
import { problem } from "./http/problem.js";
import { sessionRoute } from "./http/session.js";
import { demoPeople } from "./inbox-people.js";
import { openDatabase } from "./open-database.js";
import { sessionSecret } from "./session-secret.js";
import { messageReceived, supportFunction } from "./support-function.js";

export { type DemoConfig, type ModelConfig, readConfig } from "./config.js";
export { ConfigError } from "./config-error.js";

/** The running parts of a demo, for `main` and for tests in the same process. */
export interface Demo {
  /** The whole HTTP surface, without a socket. */
  fetch(request: Request): Promise<Response>;
  /** Listens, then starts or joins the engine. */
  start(log?: (line: string) => void): Promise<void>;
  stop(): Promise<void>;
  countersign: ReturnType<typeof createCountersign>;
  /** Absent with a remote engine. */
  engine?: EngineConnection["local"];
  /** The model that answers unless a provider's key is set; its `requests` tell what it was asked. */
  scripted: ScriptedModel;
  /** The port listened on; the configured one before `start`. */
  readonly port: number;
}

/** Puts the demo together. Its database is open when this returns; nothing runs before `start`. */
export async function createDemo(config: DemoConfig): Promise<Demo> {
  const database = await openDatabase(config);
  try {
    return await assemble(config, database.client, database.close);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function assemble(
  config: DemoConfig,
  client: DatabaseClient,
  close: () => Promise<void>,
): Promise<Demo> {
  const desk = await openDesk(client);
  const store =
    "postgres" in client
      ? postgresStore({ client: client.postgres })
      : pgliteStore({ client: client.pglite });
  await store.migrate();
  const connection = await (config.inngestBaseUrl === undefined
    ? localEngine(client)
    : remoteEngine(config.inngestBaseUrl));
  const { inngest } = connection;

  const policy = openPolicy({ defaults: config.policyFile });
  const countersign = createCountersign({
    inngest,
    store,
    policy,
    timeout: config.timeout,
    tenantId: demoTenant,
    context: ({ state }) => ({ requester: { id: z.string().parse(state.data.requesterId) } }),
  });

  let listener: Listener | undefined;
  const origin = () => `http://${urlHost(config.host)}:${listener?.port ?? config.port}`;
  const scripted = scriptedModel({ reply: supportScript });
  const support = supportFunction({
    inngest,
    desk,
    history: countersign.history,
    guard: (network) => countersign.guard(network),
    askPerson: countersign.requestHumanInput(),
    async ownerOf(threadId) {
      const thread = await store.getThread(demoTenant, threadId);
      if (!thread?.ownerId) throw new NonRetriableError(`There is no thread ${threadId}`);
      return thread.ownerId;
    },
    // Served under this process's own port, so that an inference that was queued before a restart finds it again.
    model: () => chooseModel(config.model, `${origin()}/model/v1`),
  });
  const serveFunctions = serve({ client: inngest, functions: [...countersign.functions, support] });

  const app = new Hono();
  app.onError((error) => {
    console.error(error);
    return problem(500, "Something failed", "The demo could not do this; its log says why.", {
      code: "internal",
    });
  });
  app.on(["GET", "PUT", "POST"], servePath, (context) => serveFunctions(context.req.raw));
  app.post("/model/*", (context) => {
    const url = new URL(context.req.url);
    url.pathname = url.pathname.slice("/model".length);
    return scripted.fetch(new Request(url, context.req.raw));
  });
  const { local } = connection;
  if (local) {
    for (const path of ["/e/*", "/fn/*", "/v1/*"]) app.all(path, (context) => local.fetch(context.req.raw));
  }
  app.get("/health", (context) => context.json({ status: "ok" }));
  app.route(
    "/api",
    chatRoute({
      openThread: (thread) => countersign.threads.open(thread),
      async startRun(data) {
        const { ids } = await inngest.send({ name: messageReceived, data });
        const [eventId] = ids;
        return eventId === undefined ? null : findRun(connection.address, eventId);
      },
    }),
  );
  app.route("/api", effectsRoute(desk));
  const session = cookieSessionAuthenticator({ keys: [await sessionSecret(config.dataDir)] });
  app.route("/api", sessionRoute({ session, personWith }));
  app.route(
    "/api",
    approvalsApi(countersign, {
      authenticate: anyOf(session.authenticate, authenticate),
      fullViewRoles: ["legal"],
      people: colleaguesOf,
      // On one's own machine, and scripts look again and again.
      rateLimit: false,
    }),
  );
  app.route(
    "/inbox",
    inboxPage({
      apiBase: "/api",
      basePath: "/inbox",
      signIn: { session: "/api/session", people: demoPeople },
    }),
  );

  return {
    fetch: async (request) => app.fetch(request),
    countersign,
    scripted,
    ...(local && { engine: local }),
    get port() {
      return listener?.port ?? config.port;
    },
    async start(log = () => {}) {
      listener = await listen((request) => app.fetch(request), config);
      await connection.start(serveFunctions, origin(), log);
    },
    async stop() {
      policy.close();
      await connection.stop();
      await listener?.close();
      await close();
    },
  };
}

/** An address to call: a wildcard host listens everywhere but is itself no destination. */
function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
