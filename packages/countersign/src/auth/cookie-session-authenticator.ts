import type { Principal } from "../principal.js";
import { type Authenticator, type AuthenticatorOptions, authenticatorOf, Refused } from "./authenticator.js";
import { durationMs, wrongOption } from "./options.js";
import { checkCookieName, readCookie, sessionCookie, setCookie } from "./session-cookie.js";
import { sessionKeys } from "./session-keys.js";
import { openSession, type Session, sealSession } from "./session-token.js";
import { verifiedPrincipal } from "./verified-principal.js";
import { checkedOrigins, type VerifyOriginOptions, verifyOrigin } from "./verify-origin.js";

export interface CookieSessionOptions extends AuthenticatorOptions, VerifyOriginOptions {
  /**
   * Secrets of at least 32 bytes: the current one first, then older ones whose sessions are still accepted. To rotate,
   * put a new one in front; to end all sessions at once, leave the old ones out.
   */
  keys: readonly [string | Uint8Array, ...(string | Uint8Array)[]];
  /** Left out: `"__Host-countersign"`, and `"countersign"` on http://localhost. */
  cookieName?: string | undefined;
  /** How long after the sign-in a session ends, used or not. Left out: `"12h"`. */
  ttl?: string | undefined;
  /** How long a session may go unused; needs `renew` to be called. Left out: as long as `ttl`. */
  idle?: string | undefined;
  /**
   * Whether the cookie is for TLS only. Left out: always, except for requests to http://localhost, 127.0.0.1 and [::1].
   * Set it to true in production if a proxy hides the host that browsers ask for.
   */
  secure?: boolean | undefined;
}

export interface CookieSession {
  /**
   * Who is signed in. `null` also for a method other than GET, HEAD and OPTIONS whose origin is foreign or missing:
   * see `verifyOrigin`.
   */
  authenticate: Authenticator;
  /**
   * The `Set-Cookie` header that signs somebody in, once you have verified who it is. The session keeps the principal's
   * `authenticatedBy`; left out, that is `"session"`.
   */
  signIn(principal: Principal, request?: Request): Promise<string>;
  /** The `Set-Cookie` header that signs out this browser; a copy of the cookie stays good until it ends. */
  signOut(request?: Request): string;
  /**
   * The `Set-Cookie` header for a session that should be written anew, else `null`: it was made with an older key, or
   * a tenth of `idle` has passed. Never lengthens `ttl`.
   */
  renew(request: Request): Promise<string | null>;
}

/** Browsers drop longer cookies without a word (RFC 6265, 6.1). */
const largestCookie = 4096;

/**
 * People in a browser, by a session that lives in an encrypted cookie: nothing is stored on the server. The cookie is
 * `HttpOnly`, `SameSite=Lax` and `Secure`, and requests that change something must come from an allowed origin.
 *
 * @throws CountersignError `invalid_option` naming the option; from `signIn` where the principal cannot be used or is
 * too large for a cookie.
 *
 * @example
 * ```ts
 * import { cookieSessionAuthenticator } from "countersign/auth";
 *
 * const session = cookieSessionAuthenticator({
 *   keys: [process.env.SESSION_KEY ?? ""],
 *   allowedOrigins: ["https://approvals.example.com"],
 *   idle: "1h",
 * });
 *
 * export const authenticate = session.authenticate;
 *
 * export async function afterPasswordCheck(request: Request, userId: string): Promise<Response> {
 *   const cookie = await session.signIn({ id: userId, tenantId: "acme", roles: ["support"] }, request);
 *   return new Response(null, { status: 303, headers: { location: "/inbox", "set-cookie": cookie } });
 * }
 * ```
 */
export function cookieSessionAuthenticator(options: CookieSessionOptions): CookieSession {
  const name = checkCookieName(options.cookieName ?? "__Host-countersign");
  const keys = sessionKeys(options.keys, name);
  const ttlSeconds = secondsOf("ttl", options.ttl ?? "12h");
  const idleSeconds = options.idle === undefined ? undefined : secondsOf("idle", options.idle);
  const { secure } = options;
  const origins = options.allowedOrigins && { allowedOrigins: [...checkedOrigins(options.allowedOrigins)] };
  const now = options.now ?? (() => new Date());
  const nowSeconds = () => Math.floor(now().getTime() / 1000);

  const read = async (request: Request) => {
    const sealed = readCookie(request, sessionCookie(name, secure, request).name);
    if (!sealed) throw new Refused("no_credentials");
    if (sealed.length > largestCookie) throw new Refused("too_large");
    if (!verifyOrigin(request, origins)) throw new Refused("foreign_origin");
    const session = await openSession(sealed, keys, now());
    if (idleSeconds !== undefined && nowSeconds() >= session.writtenAt + idleSeconds)
      throw new Refused("idle");
    return session;
  };

  const write = async (session: Session, request: Request | undefined) => {
    const sealed = await sealSession(session, keys[0]);
    const cookie = sessionCookie(name, secure, request);
    const header = setCookie(cookie, sealed, session.endsAt - session.writtenAt);
    if (header.length > largestCookie) {
      throw wrongOption(
        "principal",
        `the session is ${header.length} bytes and browsers keep ${largestCookie}; sign in with fewer or shorter roles`,
      );
    }
    return header;
  };

  return {
    authenticate: authenticatorOf(async (request) => {
      const { principal } = await read(request);
      return { ...principal, authenticatedBy: principal.authenticatedBy ?? "session" };
    }, options.onRefusal),

    async signIn(principal, request) {
      const verified = verifiedPrincipal(principal);
      if (!verified) {
        throw wrongOption(
          "principal",
          "must be { id, tenantId, roles, displayName? }, each text of at most 200 characters and without NUL",
        );
      }
      const at = nowSeconds();
      return write({ principal: verified, writtenAt: at, endsAt: at + ttlSeconds }, request);
    },

    signOut: (request) => setCookie(sessionCookie(name, secure, request), "", 0),

    async renew(request) {
      const session = await read(request).catch(() => undefined);
      if (!session) return null;
      const at = nowSeconds();
      const unused = at - session.writtenAt;
      const due = session.keyId !== keys[0].id || (idleSeconds !== undefined && unused * 10 >= idleSeconds);
      return due ? write({ ...session, writtenAt: at }, request) : null;
    },
  };
}

function secondsOf(name: string, text: string): number {
  return Math.floor(durationMs(name, text) / 1000);
}
