import { readFileSync } from "node:fs";

/** The version of the installed package. The path to its manifest is the same from `src` and `dist`. */
export function packageVersion(): string {
  const manifest = new URL("../package.json", import.meta.url);
  const { version }: { version: string } = JSON.parse(readFileSync(manifest, "utf8"));
  return version;
}
