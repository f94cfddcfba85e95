import { Refused } from "./authenticator.js";

/** Longest token that is looked at, in characters. */
const longestToken = 16 * 1024;

/** The token of `Authorization: Bearer …` (RFC 6750); the scheme's case does not matter. */
export function bearerToken(request: Request): string {
  const header = request.headers.get("authorization");
  if (header === null) throw new Refused("no_credentials");
  if (!/^bearer( |$)/i.test(header)) throw new Refused("no_credentials");
  const token = header.slice("bearer ".length).trimStart();
  if (token.length > longestToken) throw new Refused("too_large");
  // Two headers arrive joined by a comma, which no token holds: which of them would it be?
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token)) throw new Refused("malformed");
  return token;
}
