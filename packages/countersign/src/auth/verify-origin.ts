import { wrongOption } from "./options.js";

export interface VerifyOriginOptions {
  /**
   * Origins whose pages may send requests with the cookie, such as `"https://approvals.example.com"`. Left out: the
   * origin of the request's own URL, which is wrong behind a proxy that ends TLS or changes the `Host` header.
   */
  allowedOrigins?: readonly string[] | undefined;
}

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether a request with a cookie comes from a page of ours, so that no other site can have a browser decide
 * (cross-site request forgery). GET, HEAD and OPTIONS pass: they must not change anything. Any other method needs an
 * `Origin` that is allowed or, where the browser sent none, `Sec-Fetch-Site: same-origin`. Pages cannot set either.
 *
 * `cookieSessionAuthenticator` asks this by itself; use it for your own routes with a cookie, such as signing in.
 *
 * @throws CountersignError `invalid_option` where an allowed origin is not one.
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
      `must be a list such as ["https://approvals.example.com"], or left out`,
    );
  }
  for (const origin of origins) {
    if (isOrigin(origin)) continue;
    throw wrongOption(
      "allowedOrigins",
      `${JSON.stringify(origin)} is not an origin; write scheme, host and port only, such as "https://approvals.example.com"`,
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
