/**
 * Tools of MCP servers whose questions people answer durably. Needs `@modelcontextprotocol/client`.
 *
 * @module
 */
export { type McpTools, mcpTools } from "./mcp/mcp-tools.js";
export type { McpServer, McpServerTerms, McpToolsOptions } from "./mcp/server-options.js";
