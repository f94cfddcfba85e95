import { agUi } from "@countersign/chat/ag-ui";
import { aiSdkChat, type ChatOptions } from "@countersign/chat/ai-sdk";
import { prune } from "@countersign/cli/operating";
import { inboxPage } from "@countersign/inbox/server";
import { mcpServer } from "@countersign/mcp/server";
import { openPolicy } from "@countersign/policy/files";
import { type ScriptedModel, scriptedModel } from "@countersign/testing";
import { createCountersign } from "countersign/agent-kit";
import { anyOf, cookieSessionAuthenticator } from "countersign/auth";
import { approvalsApi } from "countersign/hono";
import { pgliteStore } from "countersign/pglite";
import { postgresStore } from "countersign/postgres";
import { Hono } from "hono";
import { compress } from "hono/compress";
import { NonRetriableError } from "inngest";
import { serve } from "inngest/edge";
import { z } from "zod";
import { chooseModel } from "./agent/choose-model.js";
import { loadAgent } from "./agent/load-agent.js";
import { supportScript } from "./agent/script.js";
import { bookCarrier } from "./agent/tools/book-carrier.js";
import type { DemoConfig } from "./config.js";
import { openCourier } from "./courier/open-courier.js";
import { authenticate, colleaguesOf, demoTenant, personCalled, personWith } from "./demo-principals.js";
import type { DatabaseClient } from "./desk/database.js";
import { openDesk } from "./desk/open-desk.js";
import { type EngineConnection, localEngine, remoteEngine, servePath } from "./engine/connect-engine.js";
import { startRunWith } from "./engine/start-run.js";
import { chatRoute } from "./http/chat.js";
import { effectsRoute } from "./http/effects.js";
import { frontPage } from "./http/front-page.js";
import { functionsRoute } from "./http/functions.js";
import { type Listener, listen } from "./http/listen.js";
import { modelRoute } from "./http/model.js";
import { problem } from "./http/problem.js";
import { refuseStrangers } from "./http/refuse-strangers.js";
import { sessionRoute } from "./http/session.js";
import { demoPeople } from "./inbox-people.js";
import { keepSmall } from "./keep-small.js";
import { channelRules, openChannels } from "./open-channels.js";
import { openDatabase } from "./open-database.js";
import { sessionSecret } from "./session-secret.js";
import { messageReceived, supportFunction } from "./support-function.js";

export { type DemoConfig, type ModelConfig, readConfig } from "./config.js";
export { ConfigError } from "./config-error.js";

/** A demo, for `main` and for tests in the same process. */
export interface Demo {
  /** The whole HTTP surface, without a socket. */
  fetch(request: Request): Promise<Response>;
  /** Listens, then starts or connects to the engine. */
  start(log?: (line: string) => void): Promise<void>;
  stop(): Promise<void>;
  countersign: ReturnType<typeof createCountersign>;
  /** Absent with a remote engine. */
  engine?: EngineConnection["local"];
  /** The scripted model, used unless a provider's key is set. `requests` records what it received. */
  scripted: ScriptedModel;
  /** The listening port; before `start` the configured one. */
  readonly port: number;
}

/** Creates a demo with an open database. Nothing runs before `start`. */
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
  const hosts = [config.host, ...config.allowedHosts];
  const { engine } = config;
  const connection =
    engine.kind === "local" ? await localEngine(client, { keys: engine, hosts }) : remoteEngine(engine);
  const { inngest } = connection;

  const code = channelRules(config.channels);
  const policy = openPolicy({ defaults: config.policyFile, ...(code && { code }) });
  const countersign = createCountersign({
    inngest,
    store,
    policy,
    timeout: config.timeout,
    tenantId: demoTenant,
    undoable: [bookCarrier(desk)],
    channels: openChannels(config.channels, personCalled),
    inboxUrl: `http://${urlHost(config.host)}:${config.port}/inbox`,
    context: ({ state }) => {
      const id = z.string().parse(state.data.requesterId);
      const name = personCalled(id)?.displayName;
      return { requester: { id, ...(name !== undefined && { displayName: name }) } };
    },
  });

  let listener: Listener | undefined;
  let endKeeping = async () => {};
  const origin = () => `http://${urlHost(config.host)}:${listener?.port ?? config.port}`;
  const scripted = scriptedModel({ reply: supportScript });
  const secret = await sessionSecret(config.dataDir);
  const courier = openCourier({ secret, book: (booking) => desk.bookCourier(booking) });
  const support = supportFunction({
    inngest,
    desk,
    history: countersign.history,
    guard: (network) => countersign.guard(network),
    gate: countersign.gate,
    agent: await loadAgent(config.agent),
    nameOf: (id) => personCalled(id)?.displayName,
    askPerson: countersign.requestHumanInput(),
    courierTools: courier.tools,
    async ownerOf(threadId) {
      const ownerId = await countersign.threads.ownerOf(demoTenant, threadId);
      if (ownerId === undefined) throw new NonRetriableError(`There is no thread ${threadId}`);
      return ownerId;
    },
    // Served on this process's port, so that an inference queued before a restart still reaches it.
    model: () => chooseModel(config.model, `${origin()}/model/v1`),
  });
  const functions = [...countersign.functions, support];

  const app = new Hono();
  app.onError((error) => {
    console.error(error);
    return problem(500, "Something failed", "The demo could not do this; its log says why.", {
      code: "internal",
    });
  });
  app.notFound(() => problem(404, "Not found", "The path does not exist.", { code: "not_found" }));
  app.use("*", refuseStrangers(hosts));
  app.route(
    "/",
    functionsRoute({
      path: servePath,
      // Over HTTP the request to register must be signed too, so this process uses its own handler.
      handler: serve({ client: inngest, functions, enableUnauthedSync: false }),
      signed: connection.signed,
      onFirstRefused: () => console.warn(refusedCall(engine)),
    }),
  );
  app.route("/", modelRoute(scripted.fetch));
  const { local } = connection;
  if (local) {
    for (const path of ["/e/*", "/fn/*", "/v1/*"]) app.all(path, (context) => local.fetch(context.req.raw));
  }
  app.route("/", frontPage());
  // A message that comes before the engine knows the functions starts nothing.
  let isReady = false;
  app.get("/health", (context) =>
    isReady ? context.json({ status: "ok" }) : context.json({ status: "starting" }, 503),
  );
  const startRun = startRunWith({ ...connection, log: (line) => console.error(line) });
  app.route(
    "/api",
    chatRoute({
      openThread: (thread) => countersign.threads.open(thread),
      startRun: (data) => startRun({ name: messageReceived, data }),
    }),
  );
  app.route("/api", effectsRoute(desk));
  const session = cookieSessionAuthenticator({ keys: [secret] });
  const chat: ChatOptions = {
    authenticate: anyOf(session.authenticate, authenticate),
    startRun: ({ id, threadId, text }) =>
      startRun({ id, name: messageReceived, data: { threadId, message: text } }),
    inboxUrl: "/inbox",
    fullViewRoles: ["legal"],
  };
  app.route("/api/ai/chat", aiSdkChat(countersign, chat));
  app.route("/api/ag-ui", agUi(countersign, chat));
  const mcp = mcpServer(countersign, {
    authenticate,
    inboxUrl: `http://${urlHost(config.host)}:${config.port}/inbox`,
    fullViewRoles: ["legal"],
    requestRoles: ["requester"],
  });
  app.all("/api/mcp", (context) => mcp.fetch(context.req.raw));
  app.route("/api", sessionRoute({ session, personWith }));
  // Lists repeat themselves, and their readers may be far away.
  app.use("/api/*", compress({ contentTypeFilter: /^application\/json/ }));
  app.route(
    "/api",
    approvalsApi(countersign, {
      authenticate: anyOf(session.authenticate, authenticate),
      fullViewRoles: ["legal"],
      stopRoles: ["admin", "lead"],
      people: colleaguesOf,
      // A local demo whose scripts poll often.
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
      await courier.start();
      listener = await listen((request) => app.fetch(request), config);
      await connection.start(serve({ client: inngest, functions }), origin(), log);
      isReady = true;
      endKeeping = keepSmall((options) => prune(countersign, options));
    },
    async stop() {
      policy.close();
      await endKeeping();
      await courier.stop();
      await connection.stop();
      await listener?.close();
      await close();
    },
  };
}

function refusedCall({ kind }: DemoConfig["engine"]): string {
  const hint =
    kind === "local"
      ? "the local engine's own calls come from this process"
      : "if it came from Inngest, INNGEST_SIGNING_KEY is not the server's signing key";
  return `  Refused a call of ${servePath} without a valid signature (${hint}); further ones are not logged`;
}

/** A callable host name. A wildcard address is not a destination. */
function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
