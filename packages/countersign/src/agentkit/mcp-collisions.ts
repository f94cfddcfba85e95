import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Agent, StateData, Tool } from "@inngest/agent-kit";

const collisionIn = Symbol("countersign:collision");

/**
 * Records that a tool of an MCP server is about to take the name of another tool. AgentKit names such a tool
 * "<server>-<tool>" and lets the last one win, which differs between replays. It adds tools where errors are only
 * logged, so {@link assertDistinctTools} throws the error.
 */
export function noteCollision(
  agent: Agent<StateData>,
  tools: Map<string, Tool.Any>,
  name: string,
  tool: Tool.Any,
): void {
  const taken = tools.get(name);
  if (!tool.mcp || !taken || Reflect.has(tools, collisionIn)) return;
  if (taken.mcp?.server === tool.mcp.server && taken.mcp.tool.name === tool.mcp.tool.name) return;
  const error = new CountersignError(
    "invalid_option",
    `The agent "${agent.name}" has two tools named "${name}": ${origin(taken)} and ${origin(tool)}. AgentKit keeps only one of them. Rename one of the MCP servers.`,
  );
  Object.defineProperty(tools, collisionIn, { value: error });
}

function origin({ name, mcp }: Tool.Any): string {
  return mcp ? `"${mcp.tool.name}" of the MCP server "${mcp.server.name}"` : `its own tool "${name}"`;
}

/** @throws CountersignError `invalid_option` for MCP servers with one name, and for tools with one name. */
export function assertDistinctTools(agent: Agent<StateData>): void {
  const servers = (agent.mcpServers ?? []).map(({ name }) => name);
  const repeated = servers.find((name, index) => servers.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new CountersignError(
      "invalid_option",
      `mcpServers: two MCP servers of the agent "${agent.name}" are named "${repeated}", so their tools would have the same names. Give each server its own name.`,
    );
  }
  const collision: unknown = Reflect.get(agent.tools, collisionIn);
  if (collision) throw collision;
}
