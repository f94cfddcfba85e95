import { join } from "node:path";
import { type AgentKitChatOptions, agentKitChat } from "@countersign/chat/use-agent";
import type { AgentMessageChunk } from "@inngest/agent-kit";
import { approvalsApi } from "countersign/hono";
import { build } from "esbuild";
import { Hono } from "hono";
import type { BrowserContext, WebSocketRoute } from "playwright-core";
import { principals } from "../harness.js";
import { listenOn } from "../http/listen-on.js";
import { openStreamedDesk, type StreamedDesk } from "./streamed-desk.js";

const page = join(import.meta.dirname, "use-agent-page.tsx");
const bundled = build({
  entryPoints: [page],
  bundle: true,
  // Each test loads it anew: a quarter of the script is parsed in a quarter of the time.
  minify: true,
  write: false,
  format: "esm",
  jsx: "automatic",
  platform: "browser",
  // The hook's realtime finds its server by these variables.
  define: { "process.env": JSON.stringify({ INNGEST_DEV: "http://realtime.test", NODE_ENV: "development" }) },
  logLevel: "error",
});

const signedIn = (request: Request) =>
  principals[request.headers.get("authorization")?.replace("Bearer ", "") ?? ""] ?? null;

/** A page with the hook of `@inngest/use-agent`, its server, and the engine behind it. */
export async function openUseAgentSite(
  options: Omit<Parameters<typeof openStreamedDesk>[0], "publish">,
  routes: Partial<AgentKitChatOptions> = {},
) {
  const sockets = new Set<WebSocketRoute>();
  const send = (socket: WebSocketRoute, data: AgentMessageChunk) =>
    socket.send(
      JSON.stringify({ kind: "data", channel: "user:requester", topic: "agent_stream", run_id: "run", data }),
    );
  const desk: StreamedDesk = await openStreamedDesk({
    ...options,
    publish: (chunk) => {
      for (const socket of sockets) send(socket, chunk);
    },
  });
  const { inngest, countersign } = desk.harness;
  const app = new Hono();
  app.get("/", (c) =>
    c.html(
      '<!doctype html><html lang="en"><title>Chat</title><div id="root"></div><script type="module" src="/page.js"></script></html>',
    ),
  );
  app.get("/favicon.ico", (c) => c.body(null, 204));
  app.get("/page.js", async (c) =>
    c.body((await bundled).outputFiles[0]?.text ?? "", 200, { "content-type": "text/javascript" }),
  );
  app.route(
    "/api",
    agentKitChat(countersign, {
      authenticate: signedIn,
      startRun: ({ id, threadId, text }) =>
        inngest.send({ id, name: "harness/message", data: { threadId, message: text } }),
      realtimeToken: async ({ principal }) => ({
        channel: `user:${principal.id}`,
        topics: ["agent_stream"],
        key: principal.id,
      }),
      ...routes,
    }),
  );
  app.route("/api", approvalsApi(countersign, { authenticate: signedIn, rateLimit: false }));
  const server = await listenOn(async (request) => app.fetch(request));
  return {
    ...desk,
    url: server.url,
    /** The realtime server of Inngest, as the page sees it. Only the requester's channel receives the stream. */
    async connect(context: BrowserContext) {
      await context.routeWebSocket(/\/v1\/realtime\/connect/, (socket) => {
        if (new URL(socket.url()).searchParams.get("token") === "requester") sockets.add(socket);
        socket.onClose(() => void sockets.delete(socket));
      });
    },
    isConnected: () => sockets.size > 0,
    request: (person: string, path: string, init: RequestInit = {}) =>
      fetch(`${server.url}/api${path}`, {
        ...init,
        headers: { authorization: `Bearer ${person}`, "content-type": "application/json" },
      }),
    async [Symbol.asyncDispose]() {
      server.close();
      await desk[Symbol.asyncDispose]();
    },
  };
}

export type UseAgentSite = Awaited<ReturnType<typeof openUseAgentSite>>;
