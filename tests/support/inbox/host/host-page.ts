import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Hono } from "hono";
import type { HostPage } from "./page.js";

/** The stylesheet that the package exports. */
export const styleSheet = readFileSync(
  fileURLToPath(import.meta.resolve("@countersign/inbox/style.css")),
  "utf8",
);

const bundled = build({
  entryPoints: [join(import.meta.dirname, "page.tsx")],
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
  jsx: "automatic",
  platform: "browser",
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "error",
});

/** A page of an application that knows light colours only, unless somebody wraps a part of it in `dark`. */
const html = `<!doctype html>
<html lang="en">
  <title>Desk</title>
  <link rel="icon" href="data:," />
  <link rel="stylesheet" href="/host.css" />
  <link rel="stylesheet" href="/inbox.css" />
  <div id="root"></div>
  <script type="module" src="/host.js"></script>
</html>`;

const hostStyles = `
  body { margin: 8px; background: white; color: #222; font: 16px/1.5 serif; }
  .dark { color-scheme: dark; background: #1a1c20; color: #eee; }
  .brand { --cs-accent: #7c3aed; }`;

/** Routes of an application with the inbox in a page of its own. */
export const hostPage = new Hono()
  .get("/host.js", async (c) =>
    c.body((await bundled).outputFiles[0]?.text ?? "", 200, { "content-type": "text/javascript" }),
  )
  .get("/host.css", (c) => c.body(hostStyles, 200, { "content-type": "text/css" }))
  .get("/inbox.css", (c) => c.body(styleSheet, 200, { "content-type": "text/css" }))
  .get("/host", (c) => c.html(html))
  .get("/host/*", (c) => c.html(html));

/** The address of the page that shows this. */
export const hostPath = (host: HostPage, path = "/host") =>
  `${path}?${new URLSearchParams({ host: JSON.stringify(host) })}`;
