import type { Channel } from "countersign";

/** The place that a rule names in `decideIn`. */
export const mcpPlace = "mcp";

/**
 * Lets rules name `mcp` in `decideIn`: people may then deny such calls by a form of their MCP client. It sends no
 * messages, so naming it in `notify` does nothing.
 *
 * @example
 * ```ts
 * import { ask, createCountersign, definePolicy } from "countersign";
 * import { mcpChannel } from "@countersign/mcp/server";
 * import { pgliteStore } from "countersign/pglite";
 * import { Inngest } from "inngest";
 *
 * export const countersign = createCountersign({
 *   inngest: new Inngest({ id: "desk" }),
 *   store: pgliteStore(),
 *   channels: [mcpChannel()],
 *   policy: definePolicy({ tools: { send_email: ask({ decideIn: ["inbox", "mcp"] }) } }),
 * });
 * ```
 */
export function mcpChannel(): Channel {
  return {
    name: mcpPlace,
    mode: "events",
    recipients: () => [],
    send: async () => ({ ok: true, reference: null }),
    // People decide through the MCP server, which knows who sends a request.
    receive: async () => new Response(null, { status: 404 }),
  };
}
