import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

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

/** Builds the front page as static files with hashed names. */
export default defineConfig({
  root: fileURLToPath(new URL("src/page", import.meta.url)),
  plugins: [react(), compressed],
  build: {
    outDir,
    emptyOutDir: true,
    // Small files inlined as data: URLs would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // React, the AI SDK with Zod, and the inbox's parts: one file for a page on the same machine.
    chunkSizeWarningLimit: 1000,
  },
});
