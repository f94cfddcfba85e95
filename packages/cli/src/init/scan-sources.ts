import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** What the project's own sources have already. Files are relative to the project folder. */
export interface Sources {
  /** The first Inngest client: its id, and its name if another file can import it. */
  client: { file: string; id: string | undefined; exported: string | undefined } | undefined;
  /** Names of the tools that are created with a literal name, sorted. */
  tools: string[];
  /** A file with an agent. */
  agent: string | undefined;
  /** The file that serves Inngest functions. */
  served: string | undefined;
  /** Some file serves those of Countersign. */
  servesCountersign: boolean;
  /** A file that listens on a port. */
  server: string | undefined;
  /** The project has sources in TypeScript. */
  typescript: boolean;
  /** Its files import each other as `./file.ts`. */
  importsTs: boolean;
}

const skipped = new Set(["node_modules", "dist", "build", "out", "coverage"]);
const isSource = /(?<!\.d|\.test|\.spec|\.config)\.[cm]?[jt]sx?$/;
const maxFiles = 2_000;
const clientCreated = /(?:(export)\s+)?(?:const|let)\s+(\w+)\s*(?::[^=]+)?=\s*new Inngest\(/;
const clientId = /new Inngest\(\s*\{[^{}]*?\bid:\s*["'`]([^"'`$]+)["'`]/;
const toolCreated = /\b(?:createTool|gateTool)(?:<[^>]*>)?\(\s*\{[^{}]*?\bname:\s*["'`]([^"'`$]+)["'`]/g;
const aiTool = String.raw`(?:needsApproval\(\s*)?(?:tool|dynamicTool)(?:<[^>]*>)?\(`;
const hasAgent =
  /\b(createAgent|createNetwork|generateText|streamText|ToolLoopAgent|gateTool)\(|from ["'](openai|@anthropic-ai\/sdk)["']/;
const serves = /from ["']inngest\/(?!types)[\w-]+["']/;
const listens = /from ["'](@hono\/node-server|express|fastify)["']|\bcreateServer\(|\bBun\.serve\(/;

/** Reads the sources as text; what is created in another way is not found. */
export function scanSources(folder: string): Sources {
  const sources = sourceFiles(folder)
    .slice(0, maxFiles)
    .map((path) => ({
      file: relative(folder, path).split(sep).join("/"),
      text: readFileSync(path, "utf8"),
    }));
  const fileWith = (pattern: RegExp) => sources.find(({ text }) => pattern.test(text))?.file;
  const clients = sources.flatMap(({ file, text }) => {
    const created = clientCreated.exec(text);
    // A file that starts something must not be started by an import of its client.
    const exported = created?.[1] && !serves.test(text) && !listens.test(text) ? created[2] : undefined;
    return created ? [{ file, id: clientId.exec(text)?.[1], exported }] : [];
  });
  const named = sources.flatMap(({ text }) => [...text.matchAll(toolCreated)].map(([, name = ""]) => name));
  return {
    client: clients.find(({ exported }) => exported) ?? clients[0],
    tools: [...new Set([...named, ...aiSdkTools(sources.map(({ text }) => text))])].sort(),
    agent: fileWith(hasAgent),
    served: fileWith(serves),
    servesCountersign: fileWith(/\bcountersign\.functions\b/) !== undefined,
    server: fileWith(listens),
    typescript: sources.some(({ file }) => /\.[cm]?tsx?$/.test(file)),
    importsTs: fileWith(/from ["']\.[^"']*\.[cm]?tsx?["']/) !== undefined,
  };
}

/** Tools of the AI SDK are named by the key under which they are offered. */
function aiSdkTools(texts: readonly string[]): string[] {
  const withTools = texts.filter((text) => /from ["']ai["']/.test(text));
  const found = (pattern: string, among: readonly string[]) =>
    among.flatMap((text) => [...text.matchAll(new RegExp(pattern, "g"))].map(([, name = ""]) => name));
  const keyOf = (value: string, among: readonly string[]) =>
    found(`["']?([\\w$-]+)["']?\\s*:\\s*${value}`, among);
  const variables = found(`(?:const|let)\\s+(\\w+)\\s*=\\s*${aiTool}`, withTools);
  const keysOfVariables = variables.flatMap((name) => {
    const keys = keyOf(`${name}\\b`, texts);
    return keys.length > 0 ? keys : [name];
  });
  return [...keyOf(aiTool, withTools), ...keysOfVariables];
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
