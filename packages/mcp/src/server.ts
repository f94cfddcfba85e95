import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Countersign } from "countersign";
import { protectedResourceMetadata } from "./serving/http-answers.js";
import type { McpServerOptions } from "./serving/options.js";
import { createServeMcp } from "./serving/serve-mcp.js";

export { mcpChannel } from "./serving/mcp-channel.js";
export type { McpAuthorization, McpServerOptions } from "./serving/options.js";

/** The server, to mount in any framework with web-standard requests and responses. */
export interface McpApp {
  /** Answers GET and POST at the server's address. */
  fetch(request: Request): Promise<Response>;
  /** Answers `GET /.well-known/oauth-protected-resource…`; 404 without `authorization`. */
  metadata(): Response;
}

/**
 * Countersign as an MCP server over streamable HTTP, for clients of the protocol from 2025 and 2026. A person's client
 * lists and shows pending approvals, and opens the inbox for the decision. Other agents can request approval of their
 * own calls if their principal has one of the `requestRoles`.
 *
 * @throws CountersignError `invalid_option` if `authenticate` is missing: there is no anonymous access.
 *
 * @example
 * ```ts
 * import type { Countersign, Principal } from "countersign";
 * import { mcpServer } from "@countersign/mcp/server";
 * import { Hono } from "hono";
 *
 * export function app(countersign: Countersign, authenticate: (request: Request) => Promise<Principal | null>) {
 *   const mcp = mcpServer(countersign, { authenticate, inboxUrl: "https://desk.example.com/inbox" });
 *   return new Hono().all("/api/mcp", (c) => mcp.fetch(c.req.raw));
 * }
 * ```
 */
export function mcpServer(countersign: Countersign, options: McpServerOptions): McpApp {
  if (typeof options?.authenticate !== "function") {
    throw new CountersignError(
      "invalid_option",
      "authenticate: must be a function that returns the verified principal of a request, or null",
    );
  }
  const { authorization } = options;
  if (authorization && !URL.canParse(authorization.resource)) {
    throw new CountersignError("invalid_option", "authorization.resource: must be the server's full address");
  }
  return {
    fetch: createServeMcp(countersign, options),
    metadata: () => protectedResourceMetadata(authorization),
  };
}
