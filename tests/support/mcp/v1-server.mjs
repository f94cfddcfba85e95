// A real MCP server of SDK v1 (protocol 2025-11-25) over stdio, which asks over the open connection.
import { appendFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { v1TripServer } from "./v1-trip-server.mjs";

const did = (deed) => appendFileSync(process.env.DEEDS ?? "/dev/null", `${JSON.stringify(deed)}\n`);
await v1TripServer(McpServer, { did, patienceMs: Number(process.env.PATIENCE_MS ?? 300_000) }).connect(
  new StdioServerTransport(),
);
