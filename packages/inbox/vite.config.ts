import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build, defineConfig, type Plugin } from "vite";

const outDir = fileURLToPath(new URL("dist/page", import.meta.url));

const cssTarget = ["chrome123", "firefox128", "safari17.5"];

/** Builds the styles of the components as one file, for applications. */
const styleSheet: Plugin = {
  name: "style-sheet",
  async writeBundle() {
    await build({
      configFile: false,
      logLevel: "warn",
      build: {
        outDir: fileURLToPath(new URL("dist", import.meta.url)),
        emptyOutDir: false,
        cssTarget,
        rolldownOptions: {
          input: fileURLToPath(new URL("src/styles/index.css", import.meta.url)),
          output: { assetFileNames: "style.css" },
        },
      },
    });
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

/** Writes the built page as a module, so that bundlers of applications carry it like any other code. */
const embedded: Plugin = {
  name: "embedded",
  closeBundle() {
    const files = readdirSync(outDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    const compressed = files.map((path): [string, string] => [
      relative(outDir, path).split(sep).join("/"),
      brotliCompressSync(readFileSync(path)).toString("base64"),
    ]);
    const text = `// Written by vite.config.ts. Do not edit.
/** The files of the inbox's page, compressed with Brotli, in base64. */
export const pageFiles: Record<string, string> = ${JSON.stringify(Object.fromEntries(compressed), null, 2)};
`;
    writeFileSync(fileURLToPath(new URL("src/page-files.generated.ts", import.meta.url)), text);
  },
};

/** Builds the page as static files with hashed names and relative addresses, so that it can be mounted anywhere. */
export default defineConfig({
  root: fileURLToPath(new URL("src/page", import.meta.url)),
  base: "./",
  plugins: [react(), serviceWorker, styleSheet, embedded],
  // The page takes the modules of the policy package from their sources, and leaves out each that it does not need. The package
  // has one chunk of all that runs in browsers.
  resolve: {
    alias: {
      "@countersign/policy/display": fileURLToPath(new URL("../policy/src/display.ts", import.meta.url)),
    },
  },
  build: {
    outDir,
    emptyOutDir: true,
    // Small files inlined as data: URLs would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    cssTarget,
    // All of these browsers know modulepreload.
    modulePreload: { polyfill: false },
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
