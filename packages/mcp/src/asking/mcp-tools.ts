import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { Tool } from "@inngest/agent-kit";
import type { Tool as ListedTool } from "@modelcontextprotocol/client";
import { durable } from "countersign";
import { questioningCall } from "countersign/internal";
import { type Connections, createConnections } from "./connection.js";
import { handleCall } from "./handle-call.js";
import { type CheckedServer, checkedServer, type McpToolsOptions } from "./server-options.js";

/** The tools of MCP servers, for an agent's `tools`. */
export interface McpTools extends AsyncDisposable {
  tools: Tool.Any[];
  /** Ends the connections and the processes of the servers. */
  close(): Promise<void>;
}

/**
 * Connects to MCP servers and returns their tools for a guarded agent. If a server asks a person something during a
 * call, the question waits in the inbox and the channels like an agent's own question, for hours if need be. The call
 * then continues with the answer. Call it once per process, not in an Inngest function.
 *
 * @throws CountersignError `invalid_option` for a wrong option, and if a server cannot be reached.
 *
 * @example
 * ```ts
 * import { createAgent } from "@inngest/agent-kit";
 * import type { Countersign } from "countersign/agent-kit";
 * import { mcpTools } from "@countersign/mcp/client";
 *
 * const { tools } = await mcpTools({
 *   servers: {
 *     travel: { url: "https://mcp.example.com/mcp", questions: { approvers: { roles: ["travel-desk"] } } },
 *   },
 * });
 *
 * export const travelAgent = (countersign: Countersign) =>
 *   countersign.guard(createAgent({ name: "travel", system: "You book trips.", tools }));
 * ```
 */
export async function mcpTools({ servers, separator = "-" }: McpToolsOptions): Promise<McpTools> {
  const checked = Object.entries(servers).map(([name, server]) => checkedServer(name, server));
  const connected = checked.map((server) => ({ server, connections: createConnections(server) }));
  const close = async () => {
    await Promise.all(connected.map(({ connections }) => connections.close()));
  };
  try {
    const tools = await Promise.all(
      connected.map(async ({ server, connections }) => {
        const listed = await listTools(server, connections);
        return listed.map((tool) => toolOf({ server, connections, separator }, tool));
      }),
    );
    return { tools: tools.flat(), close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listTools(server: CheckedServer, connections: Connections): Promise<ListedTool[]> {
  try {
    const lease = await connections.lease();
    const { tools } = await lease.client.listTools(undefined, { timeout: server.requestMs });
    await lease.release();
    return tools;
  } catch (error) {
    throw wrongOption(
      `servers.${server.name}`,
      `its tools could not be listed (${nameOfThrown(error)}); check that the server runs and the address or command is right`,
    );
  }
}

interface Origin {
  server: CheckedServer;
  connections: Connections;
  separator: string;
}

function toolOf({ server, connections, separator }: Origin, listed: ListedTool): Tool.Any {
  const toolName = `${server.name}${separator}${listed.name}`;
  const tool: Tool.Any = {
    name: toolName,
    description: listed.description ?? "",
    handler: async (input: unknown, options) => {
      const argumentsJson = JSON.stringify(input ?? {});
      const call = await questioningCall(toolName, input, options);
      const outcome = await handleCall({ call, server, connections, tool: listed.name, argumentsJson });
      if (outcome.kind === "failed") throw new Error(outcome.message);
      return outcome.content;
    },
  };
  // The policy and the schema for the model read what the server declares from here. The address and headers of the
  // server are omitted.
  const mcp = { server: { name: server.name, transport: { type: "ws", url: "" } }, tool: listed };
  return durable(Object.assign(tool, { mcp, strict: false }) as Tool.Any);
}
