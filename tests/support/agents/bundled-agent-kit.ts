import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as AgentKit from "@inngest/agent-kit";
import { build } from "esbuild";

/**
 * A second copy of AgentKit as an application's bundler makes one: minified, in a file whose path does not mention
 * AgentKit. Its classes differ from those that Countersign imports.
 */
export async function bundledAgentKit() {
  // Inside the repository, so that the bundle finds Inngest and Zod.
  const folder = mkdtempSync(fileURLToPath(new URL("../../../node_modules/.bundle-", import.meta.url)));
  const outfile = join(folder, "app.mjs");
  await build({
    entryPoints: [fileURLToPath(import.meta.resolve("@inngest/agent-kit"))],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    external: ["inngest", "inngest/*", "zod"],
    // CommonJS packages in the bundle still call require().
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  const copy: typeof AgentKit = await import(/* @vite-ignore */ pathToFileURL(outfile).href);
  return { copy, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
