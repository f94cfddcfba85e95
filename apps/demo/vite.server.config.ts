import { defineConfig } from "vite";

/**
 * Makes one file of the compiled demo and all that it imports, which starts in two thirds of the time that thousands of
 * modules take. What reads files beside its own stays outside, and so does Hono, which the inbox uses as well.
 */
export default defineConfig({
  ssr: { noExternal: true, external: ["@countersign/inbox", "@electric-sql/pglite", "hono"] },
  build: {
    ssr: "dist/main.js",
    outDir: "dist",
    // The compiled modules are there, too: tests import them.
    emptyOutDir: false,
    target: "node20",
    minify: false,
    rolldownOptions: { output: { entryFileNames: "bundle.js", chunkFileNames: "chunks/[name].js" } },
  },
});
