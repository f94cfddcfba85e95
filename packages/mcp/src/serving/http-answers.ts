import { CountersignError, errorTable } from "@countersign/policy/internal/shared/errors";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { McpAuthorization } from "./options.js";

/** A response outside of the protocol, for a request that never reached the MCP handler. */
export function problemResponse(
  error: unknown,
  { logger, authorization }: { logger: Logger; authorization: McpAuthorization | undefined },
): Response {
  const known = CountersignError.isInstance(error);
  if (!known) logger.error("Unexpected error in the MCP server", { error: nameOfThrown(error) });
  const code = known ? error.code : "internal";
  const status = known ? error.status : 500;
  const title = known ? errorTable[error.code].title : "Internal error";
  const detail = known ? error.message : title;
  const headers = new Headers({ "content-type": "application/problem+json", "cache-control": "no-store" });
  if (status === 401) headers.set("www-authenticate", challenge(authorization));
  if (status === 429 || status === 503) {
    headers.set("retry-after", String(known ? (error.detail.retryAfter ?? 1) : 1));
  }
  const problem = { type: `urn:countersign:error:${code}`, code, title, detail, status };
  return new Response(JSON.stringify(problem), { status, headers });
}

/** The response to a request from a page of another site. */
export function originRefused(): Response {
  const code = "forbidden";
  const title = "This origin may not send requests";
  const problem = { type: `urn:countersign:error:${code}`, code, title, status: 403 };
  return new Response(JSON.stringify(problem), {
    status: 403,
    headers: { "content-type": "application/problem+json" },
  });
}

function challenge(authorization: McpAuthorization | undefined): string {
  return authorization ? `Bearer resource_metadata="${metadataUrl(authorization)}"` : "Bearer";
}

/** Where clients look for the metadata (RFC 9728): before the resource's path. */
function metadataUrl({ resource }: McpAuthorization): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}`;
}

/** The metadata document (RFC 9728). */
export function protectedResourceMetadata(authorization: McpAuthorization | undefined): Response {
  if (!authorization) return new Response(null, { status: 404 });
  const { resource, authorizationServers, scopesSupported } = authorization;
  return Response.json({
    resource,
    authorization_servers: authorizationServers,
    bearer_methods_supported: ["header"],
    ...(scopesSupported && { scopes_supported: scopesSupported }),
  });
}
