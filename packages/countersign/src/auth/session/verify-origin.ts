import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";

export interface VerifyOriginOptions {
  /**
   * Origins whose pages may send requests with the cookie, such as `"https://approvals.example.com"`. Set it behind a
   * proxy that terminates TLS or changes the `Host` header. @default the origin of the request's URL
   */
  allowedOrigins?: readonly string[] | undefined;
}

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Protects cookie-authenticated requests from cross-site request forgery. GET, HEAD and OPTIONS always pass, so they
 * must not change anything. Any other method needs an allowed `Origin` header or, if there is none, `Sec-Fetch-Site:
 * same-origin`. Pages cannot set either header.
 *
 * `cookieSessionAuthenticator` calls this itself. Use it for your own routes with a cookie, such as a sign-in form.
 *
 * @throws CountersignError `invalid_option` if `allowedOrigins` contains something that is not an origin.
 *
 * @example
 * ```ts
 * import { verifyOrigin } from "countersign/auth";
 *
 * export function mayPost(request: Request): boolean {
 *   return verifyOrigin(request, { allowedOrigins: ["https://approvals.example.com"] });
 * }
 * ```
 */
export function verifyOrigin(request: Request, options: VerifyOriginOptions = {}): boolean {
  const allowed = options.allowedOrigins ? checkedOrigins(options.allowedOrigins) : [ownOrigin(request)];
  if (safeMethods.has(request.method)) return true;
  const origin = request.headers.get("origin");
  return origin === null ? request.headers.get("sec-fetch-site") === "same-origin" : allowed.includes(origin);
}

export function checkedOrigins(origins: unknown): readonly string[] {
  if (!Array.isArray(origins) || origins.length === 0) {
    throw wrongOption(
      "allowedOrigins",
      `must be a list such as ["https://approvals.example.com"]. Omit it to allow the request's own origin`,
    );
  }
  for (const origin of origins) {
    if (isOrigin(origin)) continue;
    throw wrongOption(
      "allowedOrigins",
      `${JSON.stringify(origin)} is not an origin; use only scheme, host and port, such as "https://approvals.example.com"`,
    );
  }
  return origins;
}

function isOrigin(value: unknown): boolean {
  if (typeof value !== "string" || !/^https?:\/\//.test(value) || !URL.canParse(value)) return false;
  return new URL(value).origin === value;
}

function ownOrigin(request: Request): string {
  return new URL(request.url).origin;
}
