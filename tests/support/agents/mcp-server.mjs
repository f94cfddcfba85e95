// A real MCP server over stdio. It appends to the file in EFFECTS_FILE each time its tool (TOOL_NAME) runs.
import { appendFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "files", version: "1.0.0" });
server.registerTool(
  process.env.TOOL_NAME ?? "delete_file",
  { description: "Delete a file", inputSchema: { path: z.string() } },
  ({ path }) => {
    appendFileSync(process.env.EFFECTS_FILE ?? "/dev/null", `${path}\n`);
    return { content: [{ type: "text", text: `deleted ${path}` }] };
  },
);
await server.connect(new StdioServerTransport());
