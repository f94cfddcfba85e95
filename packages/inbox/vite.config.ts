import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build, defineConfig, type Plugin } from "vite";

const outDir = fileURLToPath(new URL("dist/page", import.meta.url));

/** Writes compressed copies beside each file, so that the server does not compress on each request. */
const compressed: Plugin = {
  name: "compressed",
  writeBundle() {
    const folder = join(outDir, "assets");
    for (const file of readdirSync(folder).filter((name) => /\.(js|css|svg)$/.test(name))) {
      const path = join(folder, file);
      const bytes = readFileSync(path);
      writeFileSync(`${path}.br`, brotliCompressSync(bytes));
      writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
};

/** Builds the service worker as one file, because browsers do not load modules in all of theirs. */
const serviceWorker: Plugin = {
  name: "service-worker",
  async writeBundle() {
    const input = fileURLToPath(new URL("src/page/service-worker.ts", import.meta.url));
    const output = { format: "iife", entryFileNames: "service-worker.js" } as const;
    await build({
      configFile: false,
      logLevel: "warn",
      build: { outDir, emptyOutDir: false, rolldownOptions: { input, output } },
    });
  },
};

/** Builds the page as static files with hashed names and relative addresses, so that it can be mounted anywhere. */
export default defineConfig({
  root: fileURLToPath(new URL("src/page", import.meta.url)),
  base: "./",
  plugins: [react(), compressed, serviceWorker],
  build: {
    outDir,
    emptyOutDir: true,
    // Small files inlined as data: URLs would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    rolldownOptions: {
      output: {
        // Few files for the first view: over HTTP/1.1 a browser opens six connections, and the first API requests
        // need two of them.
        codeSplitting: {
          groups: [
            {
              name: "libraries",
              test: /node_modules\/(react|react-dom|scheduler|@tanstack|wouter|regexparam|use-sync-external-store)\//,
            },
            { name: "inbox", tags: ["$initial"], test: /\/(src|countersign\/dist)\// },
            {
              name: "shared",
              test: /\/countersign\/dist\/|\/src\/(api|components\/(?!menu-popup)|data|keyboard|lazy|logic)/,
            },
          ],
        },
      },
    },
  },
});
