import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Hono } from "hono";
import { accepts } from "hono/accepts";
import { demoFolder } from "../demo-folder.js";

const builtPage = fileURLToPath(new URL("dist/page/", demoFolder));

const contentTypes: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Suffixes of the compressed copies by encoding, smallest first. */
const suffixes = new Map([
  ["br", ".br"],
  ["gzip", ".gz"],
]);

const securityHeaders = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
};

interface Asset {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

/** `GET /`: the chat with the decisions beside it. `GET /assets/…`: its hashed files, which never change. */
export function frontPage(): Hono {
  // Read on the first request, so that the API starts even if the page is not built.
  let page: { html: string; assets: Map<string, Asset> } | undefined;
  const read = () => {
    page ??= { html: readFileSync(join(builtPage, "index.html"), "utf8"), assets: readAssets() };
    return page;
  };
  return new Hono()
    .get("/", (context) =>
      context.html(read().html, 200, { ...securityHeaders, "cache-control": "no-store" }),
    )
    .get("/assets/:file", (context) => {
      const name = context.req.param("file");
      const contentType = contentTypes[extname(name)];
      const { assets } = read();
      const encoding = accepts(context, {
        header: "Accept-Encoding",
        supports: [...suffixes.keys()],
        default: "identity",
        match: (accepted, { supports, default: plain }) =>
          supports.find((token) => accepted.some(({ type, q }) => type === token && q > 0)) ?? plain,
      });
      const copy = assets.get(`${name}${suffixes.get(encoding)}`);
      const asset = copy ?? assets.get(name);
      if (contentType === undefined || !asset) return context.notFound();
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
}

function readAssets(): Map<string, Asset> {
  const folder = join(builtPage, "assets");
  return new Map(
    readdirSync(folder).map((name) => {
      const bytes = new Uint8Array(readFileSync(join(folder, name)));
      return [name, { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` }];
    }),
  );
}
