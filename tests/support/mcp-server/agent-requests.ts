import { randomUUID } from "node:crypto";
import { structured } from "./mcp-world.js";

/** Clients of both versions of the SDK. */
export interface CallsTools {
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
}

/** An action of an agent outside of AgentKit. */
export interface AgentsAction {
  [field: string]: unknown;
  tool: string;
  arguments: Record<string, unknown>;
}

export const call = (client: CallsTools, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args });

/** A refund that nobody else has asked for. */
export const refund = (): AgentsAction => ({
  tool: "refund",
  arguments: { order: randomUUID(), amount: 80 },
});

/** Asks for approval of an action. */
export async function requested(client: CallsTools, action = refund()) {
  const outcome = structured(await call(client, "request_approval", action));
  return { action, approvalId: String(outcome.approvalId), outcome };
}
