// A client of MCP asks Countersign's server for an approval, and Countersign's client lists the tools of another server.

import { mcpTools } from "@countersign/mcp/client";
import { mcpServer } from "@countersign/mcp/server";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { ask, createCountersign, definePolicy } from "countersign";
import { pgliteStore } from "countersign/pglite";
import { Inngest } from "inngest";
import { z } from "zod";

const over = (handle) =>
  new StreamableHTTPClientTransport(new URL("http://desk.example/mcp"), {
    fetch: (url, init) => handle(new Request(url, init)),
  });

const store = pgliteStore();
await store.migrate();
const countersign = createCountersign({
  inngest: new Inngest({
    id: "desk",
    isDev: true,
    fetch: async () => Response.json({ ids: [], status: 200 }),
  }),
  store,
  policy: definePolicy({ tools: { deploy: ask() } }),
});
const desk = mcpServer(countersign, {
  authenticate: () => ({ id: "agent", tenantId: "default", roles: ["agent"] }),
  requestRoles: ["agent"],
});
const client = new Client({ name: "agent", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(over(desk.fetch));
const { structuredContent } = await client.callTool({
  name: "request_approval",
  arguments: { tool: "deploy", arguments: { service: "web" } },
});
console.log(structuredContent?.status);
await client.close();

const trips = createMcpHandler(() => {
  const server = new McpServer({ name: "trips", version: "1" });
  server.registerTool("book", { inputSchema: z.object({ trip: z.string() }) }, async () => ({ content: [] }));
  return server;
});
const { tools, close } = await mcpTools({ servers: { trips: { transport: () => over(trips.fetch) } } });
console.log(tools.map(({ name }) => name).join());
await close();
await trips.close();
await store.close();
