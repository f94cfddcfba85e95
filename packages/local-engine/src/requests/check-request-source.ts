import { createHostCheck } from "./allowed-hosts.js";

/** The requests that a server on this machine accepts. */
export interface RequestSourceOptions {
  /**
   * Host names and IP addresses by which clients reach the server, without ports. Loopback always works; `"0.0.0.0"` and
   * `"::"` stand for every IP address. @default []
   */
  hosts?: readonly string[];
  /** Largest `Content-Length` of any request, in bytes. @default no limit */
  maxBodyBytes?: number;
}

/** Why a request is refused. */
export interface Refusal {
  status: 403 | 413 | 415;
  code: "unexpected_host" | "foreign_origin" | "body_too_large" | "unsupported_media_type";
  message: string;
}

/** Methods that change nothing. A link on another site may lead to them. */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/**
 * Creates a check that detects requests which the page of another site makes a browser send. It uses only the headers:
 * an unexpected `Host` (DNS rebinding), a foreign `Origin`, a `Sec-Fetch-Site` other than `same-origin` or `none`, and
 * bodies that are not JSON, which pages may send without a preflight. Servers and command-line tools do not send such
 * headers and pass. The check does not authenticate anybody: use keys for that.
 *
 * Returns `undefined` for a request that may pass.
 *
 * @throws Error if `hosts` has an entry with a scheme, port or path.
 *
 * @example
 * ```ts
 * import { createRequestSourceCheck } from "@countersign/local-engine";
 * import { Hono } from "hono";
 *
 * const refusalOf = createRequestSourceCheck({ hosts: ["192.168.0.10"] });
 * const app = new Hono().use(async (c, next) => {
 *   const refusal = refusalOf(c.req.raw);
 *   return refusal ? c.text(refusal.message, refusal.status) : next();
 * });
 * ```
 */
export function createRequestSourceCheck(
  options: RequestSourceOptions = {},
): (request: Request) => Refusal | undefined {
  const { hosts = [], maxBodyBytes = Number.POSITIVE_INFINITY } = options;
  const isExpected = createHostCheck(hosts);
  return ({ url, method, headers }) => {
    const { host, hostname } = new URL(url);
    if (!isExpected(hostname)) return unexpectedHost;
    if (!safeMethods.has(method) && isForeign(headers, host)) return foreignOrigin;
    if (Number(headers.get("content-length") ?? 0) > maxBodyBytes) return tooLarge(maxBodyBytes);
    return hasOtherBodyThanJson(headers) ? notJson : undefined;
  };
}

/** The refusal of a body that is too large. */
export function tooLarge(maxBytes: number): Refusal {
  return { status: 413, code: "body_too_large", message: `The body exceeds ${maxBytes} bytes` };
}

const unexpectedHost: Refusal = {
  status: 403,
  code: "unexpected_host",
  message: "This server does not serve the name in the Host header",
};
const foreignOrigin: Refusal = {
  status: 403,
  code: "foreign_origin",
  message: "This server does not accept requests from pages of other origins",
};
const notJson: Refusal = {
  status: 415,
  code: "unsupported_media_type",
  message: "Send JSON, with Content-Type: application/json",
};

/** The scheme may differ: behind a proxy that ends TLS, an https page's request arrives over http. */
function isForeign(headers: Headers, host: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return true;
  const origin = headers.get("origin");
  return origin !== null && !(URL.canParse(origin) && new URL(origin).host === host);
}

function hasOtherBodyThanJson(headers: Headers): boolean {
  const type = headers.get("content-type");
  if (type !== null) return !/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type);
  return headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0;
}
