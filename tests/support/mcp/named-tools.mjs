// A real MCP server over stdio with the tools that TOOLS names, each with its annotations. It appends each call to the
// file in EFFECTS.
import { appendFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "named-tools", version: "1.0.0" });
for (const [tool, annotations] of Object.entries(JSON.parse(process.env.TOOLS ?? "{}"))) {
  server.registerTool(tool, { inputSchema: { text: z.string() }, annotations }, ({ text }) => {
    appendFileSync(process.env.EFFECTS ?? "/dev/null", `${JSON.stringify({ tool, text })}\n`);
    return { content: [{ type: "text", text: `${tool} did ${text}` }] };
  });
}
await server.connect(new StdioServerTransport());
