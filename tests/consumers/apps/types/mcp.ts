import { type McpServer, type McpTools, mcpTools } from "@countersign/mcp/client";
import { type McpApp, mcpChannel, mcpServer } from "@countersign/mcp/server";
import { createAgent } from "@inngest/agent-kit";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Principal } from "countersign";
import type { Countersign } from "countersign/agent-kit";

declare const countersign: Countersign;
declare const authenticate: (request: Request) => Promise<Principal | null>;

const app: McpApp = mcpServer(countersign, {
  authenticate,
  inboxUrl: "https://desk.example.com/inbox",
  requestRoles: ["agent"],
});
export const POST = app.fetch;
export const channel = mcpChannel();

const travel: McpServer = {
  url: "https://mcp.example.com/mcp",
  questions: { approvers: { roles: ["travel-desk"] }, timeout: "2 days" },
};
const connected: McpTools = await mcpTools({ servers: { travel }, separator: "__" });
export const agent = countersign.guard(
  createAgent({ name: "travel", system: "You book trips.", tools: connected.tools }),
);

export const client = new Client(
  { name: "desk", version: "1" },
  { capabilities: { elicitation: { url: {} } } },
);
await client.connect(new StreamableHTTPClientTransport(new URL("https://desk.example.com/api/mcp")));
