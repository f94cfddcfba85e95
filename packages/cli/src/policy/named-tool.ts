import type { McpFacts, ToolFacts } from "@countersign/policy/internal/policy/policy-call";

/** The facts about a tool of an MCP server. Its name here is the server's name of it after `<server>-` or `<server>__`. */
export function toolOfServer(toolName: string, mcp: McpFacts): Required<ToolFacts> {
  const start = startOf(toolName, mcp.server);
  return { toolName, mcp: start === undefined ? mcp : { ...mcp, tool: toolName.slice(start.length) } };
}

/** A tool by its name: of the server whose name it starts with, the longest if several do, or of none. */
export function namedTool(toolName: string, servers: readonly string[]): ToolFacts {
  const [server] = servers
    .filter((name) => startOf(toolName, name) !== undefined)
    .sort((one, other) => other.length - one.length);
  return server === undefined ? { toolName } : toolOfServer(toolName, { server });
}

function startOf(toolName: string, server: string): string | undefined {
  return [`${server}__`, `${server}-`].find((start) => toolName.startsWith(start));
}
