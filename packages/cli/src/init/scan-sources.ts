import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** What the project's own sources have already. */
export interface Sources {
  /** The first Inngest client: its file, relative to the project folder, and its name if the file exports it. */
  client: { file: string; exported: string | undefined } | undefined;
  /** Names of the tools that are created with a literal name, sorted. */
  tools: string[];
}

const skipped = new Set(["node_modules", "dist", "build", "out", "coverage"]);
const isSource = /(?<!\.d|\.test|\.spec)\.[cm]?[jt]sx?$/;
const maxFiles = 2_000;
const clientCreated = /(?:(export)\s+)?(?:const|let)\s+(\w+)\s*(?::[^=]+)?=\s*new Inngest\(/;
const toolCreated = /createTool(?:<[^>]*>)?\(\s*\{[^{}]*?\bname:\s*["'`]([^"'`$]+)["'`]/g;

/** Reads the sources as text; a client or a tool that is created in another way is not found. */
export function scanSources(folder: string): Sources {
  const tools = new Set<string>();
  let client: Sources["client"];
  for (const path of sourceFiles(folder).slice(0, maxFiles)) {
    const text = readFileSync(path, "utf8");
    const created = clientCreated.exec(text);
    if (created && !client?.exported) {
      const exported = created[1] ? created[2] : undefined;
      client = exported || !client ? { file: relative(folder, path), exported } : client;
    }
    for (const [, name] of text.matchAll(toolCreated)) if (name) tools.add(name);
  }
  return { client, tools: [...tools].sort() };
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith(".") && !skipped.has(name))
    .sort((one, other) => one.name.localeCompare(other.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return sourceFiles(path);
      return entry.isFile() && isSource.test(entry.name) ? [path] : [];
    });
}
