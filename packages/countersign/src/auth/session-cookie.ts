import { isLoopback } from "./loopback.js";
import { wrongOption } from "./options.js";

/** Which cookie holds the session, and how it is written. */
export interface SessionCookie {
  name: string;
  secure: boolean;
}

/** RFC 6265, 4.1.1: the characters of a cookie's name. */
const cookieName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

export function checkCookieName(name: unknown): string {
  if (typeof name !== "string" || !cookieName.test(name)) {
    throw wrongOption("cookieName", `must be a cookie's name without spaces, such as "__Host-countersign"`);
  }
  return name;
}

/**
 * The cookie for a request. Browsers keep `__Host-` cookies only over TLS, and not all of them trust
 * http://localhost, so there, and there alone, the name goes without its prefix.
 */
export function sessionCookie(
  name: string,
  secure: boolean | undefined,
  request: Request | undefined,
): SessionCookie {
  if (secure ?? !(request && isLocal(request))) return { name, secure: true };
  return { name: name.replace(/^__(?:Host|Secure)-/, ""), secure: false };
}

/** On this machine and without TLS, as far as the request tells: a proxy may hide who is really asked. */
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

/** A `Set-Cookie` header; a lifetime of 0 removes the cookie. */
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
