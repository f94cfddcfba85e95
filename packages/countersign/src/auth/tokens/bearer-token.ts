import { Refused } from "../authenticator.js";

/** Maximum token length in characters. */
const maxTokenLength = 16 * 1024;

/** Reads the bearer token of the `Authorization` header (RFC 6750). The scheme is case-insensitive. */
export function bearerToken(request: Request): string {
  const header = request.headers.get("authorization");
  if (header === null) throw new Refused("no_credentials");
  if (!/^bearer( |$)/i.test(header)) throw new Refused("no_credentials");
  const token = header.slice("bearer ".length).trimStart();
  if (token.length > maxTokenLength) throw new Refused("too_large");
  // Duplicate headers arrive joined by a comma, which no token contains. They are ambiguous, so reject them.
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token)) throw new Refused("malformed");
  return token;
}
