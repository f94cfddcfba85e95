/**
 * Tools of MCP servers whose questions people answer durably. Needs `@modelcontextprotocol/client`.
 *
 * @module
 */
export { type McpTools, mcpTools } from "./asking/mcp-tools.js";
export type { McpServer, McpServerTerms, McpToolsOptions } from "./asking/server-options.js";
