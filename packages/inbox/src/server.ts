import { createHash } from "node:crypto";
import { extname } from "node:path";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import type { Countersign } from "countersign";
import { type ApprovalsApiOptions, approvalsApi } from "countersign/hono";
import { Hono } from "hono";
import { accepts } from "hono/accepts";
import { firstRequests } from "./data/inbox/first-requests.js";
import { configElementId, type InboxConfig } from "./data/inbox/inbox-config.js";

export type { InboxConfig, InboxSignIn } from "./data/inbox/inbox-config.js";

const contentTypes: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Encodings that a browser may accept, smallest first, made of a file that is compressed with Brotli. */
const encodings: Record<string, (compressed: Buffer) => Buffer> = {
  br: (compressed) => compressed,
  gzip: (compressed) => gzipSync(brotliDecompressSync(compressed), { level: 9 }),
  identity: (compressed) => brotliDecompressSync(compressed),
};

const securityHeaders = (frameAncestors: readonly string[]) => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "manifest-src 'self'",
    "worker-src 'self'",
    `frame-ancestors ${frameAncestors.map(frameSource).join(" ") || "'none'"}`,
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
});

/** One source of the directive `frame-ancestors`. What frames the page can lead clicks onto its buttons. */
function frameSource(allowed: string): string {
  if (allowed === "self") return "'self'";
  if (/^https?:\/\/(\*\.)?[a-z\d-]+(\.[a-z\d-]+)*(:\d+)?$/i.test(allowed)) return allowed;
  throw new TypeError(
    `frameAncestors: must be "self" or origins such as "https://desk.example.com", not ${JSON.stringify(allowed)}`,
  );
}

/** What the page of the inbox needs. */
export interface InboxPageOptions extends InboxConfig {
  /**
   * The pages that may show the inbox in a frame: `"self"` for those of its own origin, and others by their origin, such as
   * `https://desk.example.com` or `https://*.example.com`. @default none
   */
  frameAncestors?: readonly string[] | undefined;
}

/** What the API and the inbox need. */
export interface ApprovalsAppOptions
  extends ApprovalsApiOptions,
    Pick<InboxPageOptions, "signIn" | "holdMs" | "language" | "frameAncestors"> {
  /** Path of the inbox, with the API below it at `api`. @default "/approvals" */
  path?: `/${string}`;
}

/**
 * The inbox and its API as one Hono app. It contains its path, so mount it at the root: `app.route("/", approvalsApp(…))`.
 * For Next, pass it to `toNextHandlers` of `countersign/next`, in a route of the same path.
 *
 * @throws CountersignError `invalid_option` if `authenticate` is missing: there is no anonymous API.
 * @throws TypeError if the path or one of the frame ancestors is not valid.
 *
 * @example
 * ```ts
 * import { approvalsApp } from "@countersign/inbox/server";
 * import type { Countersign } from "countersign";
 * import { Hono } from "hono";
 *
 * declare const countersign: Countersign;
 * declare function session(request: Request): Promise<{ id: string; roles: string[] } | null>;
 *
 * export const app = new Hono().route("/", approvalsApp(countersign, { authenticate: session }));
 * ```
 */
export function approvalsApp(
  countersign: Countersign,
  { path = "/approvals", signIn, holdMs, language, frameAncestors, ...api }: ApprovalsAppOptions,
): Hono {
  if (!path.startsWith("/")) throw new TypeError(`path: must start with a slash, as in "/approvals"`);
  const basePath = path.replace(/\/+$/, "");
  const apiBase = `${basePath}/api`;
  return new Hono()
    .route(apiBase, approvalsApi(countersign, api))
    .route(basePath || "/", inboxPage({ apiBase, basePath, signIn, holdMs, language, frameAncestors }));
}

/**
 * The approvals inbox as a Hono app, to be mounted at `basePath`. The page contains no data. It calls the API at
 * `apiBase` with the session of the reader.
 *
 * @throws TypeError if one of the frame ancestors is not valid.
 *
 * @example
 * ```ts
 * import { inboxPage } from "@countersign/inbox/server";
 * import { Hono } from "hono";
 *
 * export const app = new Hono().route(
 *   "/inbox",
 *   inboxPage({ apiBase: "/api", basePath: "/inbox", signIn: { url: "/login" } }),
 * );
 * ```
 */
export function inboxPage({ frameAncestors = [], ...config }: InboxPageOptions): Hono {
  const headers = securityHeaders(frameAncestors);
  const basePath = config.basePath.replace(/\/+$/, "");
  let page: Promise<Page> | undefined;
  const read = () => {
    page ??= readPage({ ...config, basePath });
    return page;
  };
  const app = new Hono();
  app.get("/assets/:file", async (context) => {
    const { asset } = await read();
    const name = context.req.param("file");
    const contentType = contentTypes[extname(name)];
    if (contentType === undefined) return context.notFound();
    const encoding = accepts(context, {
      header: "Accept-Encoding",
      supports: Object.keys(encodings),
      default: "identity",
      // The smallest encoding that the browser accepts.
      match: (accepted, { supports, default: plain }) =>
        supports.find((token) => accepted.some(({ type, q }) => type === token && q > 0)) ?? plain,
    });
    const found = asset(name, encoding);
    if (!found) return context.notFound();
    const ofAsset = {
      ...headers,
      "content-type": contentType,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
      etag: found.etag,
      ...(encoding !== "identity" && { "content-encoding": encoding }),
    };
    if (context.req.header("if-none-match") === found.etag) return context.body(null, 304, ofAsset);
    return context.body(found.bytes, 200, ofAsset);
  });
  app.get("/manifest.webmanifest", async (context) =>
    context.body((await read()).manifest, 200, {
      ...headers,
      ...{ "content-type": "application/manifest+json", "cache-control": "no-cache" },
    }),
  );
  app.get("/service-worker.js", async (context) =>
    context.body((await read()).serviceWorker, 200, {
      ...headers,
      ...{ "content-type": "text/javascript; charset=utf-8", "cache-control": "no-cache" },
    }),
  );
  // The page handles every other address.
  app.get("*", async (context) => {
    if (context.req.path.startsWith(`${basePath}/assets/`)) return context.notFound();
    return context.html((await read()).html, 200, { ...headers, "cache-control": "no-store" });
  });
  return app;
}

interface Page {
  html: string;
  manifest: string;
  serviceWorker: string;
  /** A file of the page in an encoding. */
  asset(name: string, encoding: string): Asset | undefined;
}

interface Asset {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

/** The built page, loaded by its first request. It is a module, so that bundlers carry it like any other code. */
async function readPage(config: InboxConfig): Promise<Page> {
  const { pageFiles } = await import("./page-files.generated.js");
  const compressed = (name: string) => Buffer.from(pageFiles[name] ?? "", "base64");
  const textOf = (name: string) => brotliDecompressSync(compressed(name)).toString();
  const assets = new Map<string, Asset>();
  return {
    html: pageHtml(textOf("index.html"), config),
    manifest: manifestOf(config.basePath, Object.keys(pageFiles)),
    serviceWorker: textOf("service-worker.js"),
    asset(name, encoding) {
      const file = `assets/${name}`;
      const encode = encodings[encoding];
      if (!encode || !Object.hasOwn(pageFiles, file)) return undefined;
      const key = `${encoding} ${name}`;
      const asset = assets.get(key) ?? assetOf(encode(compressed(file)));
      assets.set(key, asset);
      return asset;
    },
  };
}

function assetOf(buffer: Buffer): Asset {
  const bytes = new Uint8Array(buffer);
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` };
}

/** Lets people install the page as an application. */
function manifestOf(basePath: string, files: readonly string[]): string {
  const icon = files.find((name) => /^assets\/icon-.*\.svg$/.test(name));
  return JSON.stringify({
    name: "Approvals",
    short_name: "Approvals",
    id: `${basePath}/`,
    start_url: `${basePath}/`,
    scope: `${basePath}/`,
    display: "standalone",
    icons: icon ? [{ src: `${basePath}/${icon}`, sizes: "any", type: "image/svg+xml", purpose: "any" }] : [],
  });
}

/** The built page with absolute addresses and the configuration. */
function pageHtml(built: string, config: InboxConfig): string {
  // JSON must not be able to close the script element.
  const json = JSON.stringify(config).replaceAll("<", "\\u003c");
  const element = `<script type="application/json" id="${configElementId}">${json}</script>`;
  // The same credentials mode as fetch(), or the browser would not reuse the preloaded response.
  const asked = firstRequests.map(
    (path) =>
      `<link rel="preload" as="fetch" crossorigin="anonymous" href="${escapeAttribute(config.apiBase + path)}" />`,
  );
  return built
    .replaceAll('"./assets/', () => `"${escapeAttribute(config.basePath)}/assets/`)
    .replace(
      "<!-- countersign-manifest -->",
      // With cookies, as a host may answer nobody without them.
      () =>
        `<link rel="manifest" crossorigin="use-credentials" href="${escapeAttribute(config.basePath)}/manifest.webmanifest" />`,
    )
    .replace("<!-- countersign-first-requests -->", () => asked.join("\n    "))
    .replace("<!-- countersign-config -->", () => element);
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
