import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { isLoopback } from "./loopback.js";

/** Name and flags of the session cookie. */
export interface SessionCookie {
  name: string;
  secure: boolean;
}

/** RFC 6265, 4.1.1: the characters of a cookie's name. */
const cookieName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

export function checkCookieName(name: unknown): string {
  if (typeof name !== "string" || !cookieName.test(name)) {
    throw wrongOption("cookieName", `must be a cookie name without spaces, such as "__Host-countersign"`);
  }
  return name;
}

/**
 * The session cookie for a request. Browsers accept `__Host-` cookies only over TLS, and not all of them trust
 * http://localhost, so only there the name has no prefix.
 */
export function sessionCookie(
  name: string,
  secure: boolean | undefined,
  request: Request | undefined,
): SessionCookie {
  if (secure ?? !(request && isLocal(request))) return { name, secure: true };
  return { name: name.replace(/^__(?:Host|Secure)-/, ""), secure: false };
}

/**
 * Whether the request is for this machine without TLS. A proxy may hide the public host name, so forwarding headers
 * and the origin count too.
 */
function isLocal(request: Request): boolean {
  if (!isPlainLoopback(request.url) || request.headers.get("x-forwarded-proto")?.startsWith("https"))
    return false;
  const origin = request.headers.get("origin");
  return origin === null || !origin.startsWith("https:");
}

function isPlainLoopback(text: string): boolean {
  const url = new URL(text);
  return url.protocol === "http:" && isLoopback(url.hostname);
}

/** Builds a `Set-Cookie` header. A lifetime of 0 removes the cookie. */
export function setCookie({ name, secure }: SessionCookie, value: string, maxAgeSeconds: number): string {
  const flags = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax`;
  return `${name}=${value}; ${flags}${secure ? "; Secure" : ""}`;
}

export function readCookie(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const equals = pair.indexOf("=");
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
