import { optionMs, wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import type { VerifiedPrincipal } from "@countersign/policy/internal/shared/principal";
import { principalFix, verifiedPrincipal } from "@countersign/policy/internal/shared/principal";
import { type Authenticator, type AuthenticatorOptions, authenticatorOf, Refused } from "../authenticator.js";
import { checkCookieName, readCookie, sessionCookie, setCookie } from "./session-cookie.js";
import { sessionKeys } from "./session-keys.js";
import { openSession, type Session, sealSession } from "./session-token.js";
import { checkedOrigins, type VerifyOriginOptions, verifyOrigin } from "./verify-origin.js";

export interface CookieSessionOptions extends AuthenticatorOptions, VerifyOriginOptions {
  /**
   * Secrets of at least 32 bytes: the current one first, then older ones whose sessions are still accepted. To
   * rotate, prepend a new one. To end all sessions, remove the old ones.
   */
  keys: readonly [string | Uint8Array, ...(string | Uint8Array)[]];
  /** @default "__Host-countersign", and "countersign" on http://localhost */
  cookieName?: string | undefined;
  /** Maximum session lifetime after the sign-in. @default "12h" */
  ttl?: string | undefined;
  /** Maximum time between two uses of a session. Requires calls to `renew`. @default `ttl` */
  idle?: string | undefined;
  /**
   * Whether to set the cookie's `Secure` flag. Set it to true in production if a proxy hides the public host name.
   * @default true, except for requests to http://localhost, 127.0.0.1 and [::1]
   */
  secure?: boolean | undefined;
}

export interface CookieSession {
  /**
   * Identifies who is signed in. Also returns `null` for a method other than GET, HEAD and OPTIONS whose origin is
   * foreign or missing: see `verifyOrigin`.
   */
  authenticate: Authenticator;
  /**
   * Returns the `Set-Cookie` header that signs in a principal you have verified. The session keeps the principal's
   * `authenticatedBy`, by default `"session"`.
   */
  signIn(principal: VerifiedPrincipal, request?: Request): Promise<string>;
  /** Returns the `Set-Cookie` header that signs out this browser. A copy of the cookie stays valid until it expires. */
  signOut(request?: Request): string;
  /**
   * Returns the `Set-Cookie` header for a session that needs renewal because it uses an older key or a tenth of
   * `idle` has passed; otherwise `null`. Never extends `ttl`.
   */
  renew(request: Request): Promise<string | null>;
}

/** Maximum cookie size in bytes. Browsers silently drop longer cookies (RFC 6265, 6.1). */
const maxCookieBytes = 4096;

/**
 * Authenticates people in a browser by a session in an encrypted cookie; the server stores nothing. The cookie is
 * `HttpOnly`, `SameSite=Lax` and `Secure`. Requests other than GET, HEAD and OPTIONS must come from an allowed
 * origin.
 *
 * @throws CountersignError `invalid_option` naming the option. `signIn` throws it if the principal is invalid or too
 * large for a cookie.
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
    if (sealed.length > maxCookieBytes) throw new Refused("too_large");
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
    if (header.length > maxCookieBytes) {
      throw wrongOption(
        "principal",
        `the session cookie takes ${header.length} bytes, and browsers accept ${maxCookieBytes}; use fewer or shorter roles`,
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
        throw wrongOption("principal", principalFix);
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
  return Math.floor(optionMs(name, text) / 1000);
}
