import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
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

/** Encodings of the compressed copies, smallest first. */
const encodings = [
  { token: "br", suffix: ".br" },
  { token: "gzip", suffix: ".gz" },
];

const securityHeaders = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "manifest-src 'self'",
    "worker-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

const builtPage = fileURLToPath(new URL("./page/", import.meta.url));

/** What the API and the inbox need. */
export interface ApprovalsAppOptions
  extends ApprovalsApiOptions,
    Pick<InboxConfig, "signIn" | "holdMs" | "language"> {
  /** Path of the inbox, with the API below it at `api`. @default "/approvals" */
  path?: `/${string}`;
}

/**
 * The inbox and its API as one Hono app. It contains its path, so mount it at the root: `app.route("/", approvalsApp(…))`.
 * For Next, pass it to `toNextHandlers` of `countersign/next`, in a route of the same path.
 *
 * @throws CountersignError `invalid_option` if `authenticate` is missing: there is no anonymous API.
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
  { path = "/approvals", signIn, holdMs, language, ...api }: ApprovalsAppOptions,
): Hono {
  const basePath = path.replace(/\/+$/, "");
  const apiBase = `${basePath}/api`;
  return new Hono()
    .route(apiBase, approvalsApi(countersign, api))
    .route(basePath || "/", inboxPage({ apiBase, basePath, signIn, holdMs, language }));
}

/**
 * The approvals inbox as a Hono app, to be mounted at `basePath`. The page contains no data. It calls the API at
 * `apiBase` with the session of the reader.
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
export function inboxPage(config: InboxConfig): Hono {
  const basePath = config.basePath.replace(/\/+$/, "");
  // Read on the first request, so that an application starts even if the page is not built.
  let page: { html: string; manifest: string; serviceWorker: string; assets: Map<string, Asset> } | undefined;
  const read = () => {
    if (page) return page;
    const assets = readAssets();
    page = {
      html: pageHtml({ ...config, basePath }),
      manifest: manifestOf(basePath, [...assets.keys()]),
      serviceWorker: readFileSync(join(builtPage, "service-worker.js"), "utf8"),
      assets,
    };
    return page;
  };
  const app = new Hono();
  app.get("/assets/:file", (context) => {
    const { assets } = read();
    const name = context.req.param("file");
    const contentType = contentTypes[extname(name)];
    if (contentType === undefined) return context.notFound();
    const encoding = accepts(context, {
      header: "Accept-Encoding",
      supports: encodings.map(({ token }) => token),
      default: "identity",
      // The smallest encoding that the browser accepts.
      match: (accepted, { supports, default: plain }) =>
        supports.find((token) => accepted.some(({ type, q }) => type === token && q > 0)) ?? plain,
    });
    const suffix = encodings.find(({ token }) => token === encoding)?.suffix;
    const copy = suffix && assets.get(name + suffix);
    const asset = copy ?? assets.get(name);
    if (!asset) return context.notFound();
    const headers = {
      ...securityHeaders,
      "content-type": contentType,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
      etag: asset.etag,
      ...(copy && { "content-encoding": encoding }),
    };
    if (context.req.header("if-none-match") === asset.etag) return context.body(null, 304, headers);
    return context.body(asset.bytes, 200, headers);
  });
  app.get("/manifest.webmanifest", (context) =>
    context.body(read().manifest, 200, {
      ...securityHeaders,
      ...{ "content-type": "application/manifest+json", "cache-control": "no-cache" },
    }),
  );
  app.get("/service-worker.js", (context) =>
    context.body(read().serviceWorker, 200, {
      ...securityHeaders,
      ...{ "content-type": "text/javascript; charset=utf-8", "cache-control": "no-cache" },
    }),
  );
  // The page handles every other address.
  app.get("*", (context) => {
    if (context.req.path.startsWith(`${basePath}/assets/`)) return context.notFound();
    return context.html(read().html, 200, { ...securityHeaders, "cache-control": "no-store" });
  });
  return app;
}

interface Asset {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

function readAssets(): Map<string, Asset> {
  const folder = join(builtPage, "assets");
  return new Map(
    readdirSync(folder).map((name) => {
      const bytes = new Uint8Array(readFileSync(join(folder, name)));
      const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
      return [name, { bytes, etag }];
    }),
  );
}

/** Lets people install the page as an application. */
function manifestOf(basePath: string, assets: readonly string[]): string {
  const icon = assets.find((name) => /^icon-.*\.svg$/.test(name));
  return JSON.stringify({
    name: "Approvals",
    short_name: "Approvals",
    id: `${basePath}/`,
    start_url: `${basePath}/`,
    scope: `${basePath}/`,
    display: "standalone",
    icons: icon
      ? [{ src: `${basePath}/assets/${icon}`, sizes: "any", type: "image/svg+xml", purpose: "any" }]
      : [],
  });
}

/** The built page with absolute addresses and the configuration. */
function pageHtml(config: InboxConfig): string {
  const built = readFileSync(join(builtPage, "index.html"), "utf8");
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
