import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Deed } from "./trip-server.mjs";

export function v1TripServer(
  Server: typeof McpServer,
  options: { did: (deed: Deed) => void; patienceMs: number; paid?: Set<string> },
): McpServer;
