// A real MCP server over stdio whose first tool has a schema that Zod cannot express; the second one is plain.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const tools = [
  {
    name: "guess",
    description: "Asks for a number where the kind is card",
    inputSchema: {
      type: "object",
      properties: { kind: { type: "string" }, number: { type: "string" } },
      if: { properties: { kind: { const: "card" } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ["number"] },
    },
  },
  {
    name: "plain",
    description: "Takes a text",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
];

const server = new Server({ name: "odd", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
  content: [
    { type: "text", text: `odd-${params.name} ran with ${Object.values(params.arguments ?? {})[0]}` },
  ],
}));
await server.connect(new StdioServerTransport());
