import { createHmac, randomBytes } from "node:crypto";
import { type McpTools, mcpTools } from "@countersign/mcp/client";
import type { Tool } from "@inngest/agent-kit";
import { type Listener, listen } from "../http/listen.js";
import { type CourierServerDeps, courierServer } from "./courier-server.js";

export interface Courier {
  /** Its tools, named `courier-…`; none before `start`. */
  tools(): Tool.Any[];
  /** Starts the courier's MCP server on a separate port, and connects to it. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The courier's MCP server and the demo's connection to it. Its questions are for the desk's staff. */
export function openCourier({ secret, book }: CourierServerDeps): Courier {
  const key = createHmac("sha256", secret).update("courier").digest();
  const server = courierServer({ secret: key, book });
  const authorization = `Bearer ${randomBytes(24).toString("base64url")}`;
  const answer = (request: Request) =>
    request.headers.get("authorization") === authorization
      ? server.fetch(request)
      : new Response(null, { status: 401 });
  let listener: Listener | undefined;
  let connection: McpTools | undefined;
  return {
    tools: () => connection?.tools ?? [],
    async start() {
      listener = await listen(answer, { host: "127.0.0.1", port: 0 });
      connection = await mcpTools({
        servers: {
          courier: {
            url: `http://127.0.0.1:${listener.port}/mcp`,
            headers: { authorization },
            questions: { approvers: { roles: ["finance", "lead", "admin"] } },
          },
        },
      });
    },
    async stop() {
      await connection?.close();
      await server.close();
      await listener?.close();
    },
  };
}
