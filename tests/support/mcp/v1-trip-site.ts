import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { listenOn } from "../http/listen-on.js";
import type { Deed } from "./trip-server.mjs";
import { v1TripServer } from "./v1-trip-server.mjs";

/** The trip server of SDK v1 over streamable HTTP, which keeps a session for each client. */
export async function v1TripSite({ patienceMs = 300_000 } = {}) {
  const deeds: Deed[] = [];
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const paid = new Set<string>();
  const server = await listenOn(async (request) => {
    const session = request.headers.get("mcp-session-id");
    const known = session === null ? undefined : sessions.get(session);
    if (known) return known.handleRequest(request);
    if (session !== null) return new Response("Unknown session", { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await v1TripServer(McpServer, { did: (deed) => deeds.push(deed), patienceMs, paid }).connect(transport);
    return transport.handleRequest(request);
  });
  return {
    url: `${server.url}/mcp`,
    deeds,
    /** Trips whose payment page was visited. */
    paid,
    /** Forgets all sessions, as a restart of the server does. */
    async forgetSessions() {
      const all = [...sessions.values()];
      sessions.clear();
      await Promise.all(all.map((transport) => transport.close()));
    },
    async [Symbol.asyncDispose]() {
      for (const transport of sessions.values()) await transport.close();
      server.close();
    },
  };
}
