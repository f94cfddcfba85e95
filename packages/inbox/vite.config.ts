import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The page as static files with hashed names and relative addresses, so that it can be mounted anywhere. */
export default defineConfig({
  root: fileURLToPath(new URL("src/page", import.meta.url)),
  base: "./",
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL("dist/page", import.meta.url)),
    emptyOutDir: true,
    // Small files inlined as data: URLs would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
  },
});
