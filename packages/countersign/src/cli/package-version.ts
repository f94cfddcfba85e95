import { readFileSync } from "node:fs";
import { z } from "zod";

/** The version of the installed package. The path to its manifest is the same from `src/cli` and `dist/cli`. */
export function packageVersion(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
}
