import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import * as z from "zod";
import { UsageError } from "../cli-io.js";
import { type Sources, scanSources } from "./scan-sources.js";

const manifestSchema = z.object({
  name: z.string().optional(),
  type: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
});

/** What the person chose; the rest is found out. */
export interface Choices {
  hono?: boolean;
  next?: boolean;
  agentKit?: boolean;
  aiSdk?: boolean;
  loop?: boolean;
}

/** The project to which `init` adds files. Paths are relative to its folder, with slashes. */
export interface Project extends Sources {
  /** Id for a new Inngest client. */
  id: string;
  /** How its agents are made. */
  way: "agent-kit" | "ai-sdk" | "loop";
  next: boolean;
  /** It has no agent but the one that is written. */
  desk: boolean;
  /** The new files, or the places where they would be. */
  files: Record<"instance" | "desk" | "test" | "server" | "inngestRoute" | "approvalsRoute", string>;
  /** How its files import each other: with the file's own extension, as `.js`, or without an extension. */
  imports: "own" | "js" | "none";
  /** The compiler has to be told that Node's types are there. */
  namesNodeTypes: boolean;
  /** Its files are ES modules for Node. */
  isModule: boolean;
  /** Its test is for vitest, in place of Node's own runner. */
  vitest: boolean;
  /** Whether a path exists. */
  has(path: string): boolean;
  /** Whether `package.json` names a package. */
  installed(name: string): boolean;
  packageManager: PackageManager;
}

interface PackageManager {
  add: string;
  dev: string;
  /** It installs what packages need as peers. */
  addsPeers: boolean;
}

const npm = { add: "npm install", dev: "--save-dev", addsPeers: true };
const packageManagers: Record<string, PackageManager> = {
  "pnpm-lock.yaml": { add: "pnpm add", dev: "--save-dev", addsPeers: true },
  "yarn.lock": { add: "yarn add", dev: "--dev", addsPeers: false },
  "bun.lock": { add: "bun add", dev: "--dev", addsPeers: true },
  "bun.lockb": { add: "bun add", dev: "--dev", addsPeers: true },
};

/** @throws UsageError if the folder has no readable `package.json`. */
export function readProject(folder: string, choices: Choices): Project {
  const { name, type, dependencies, devDependencies } = readManifest(folder);
  const installed = (wanted: string) => wanted in dependencies || wanted in devDependencies;
  const has = (path: string) => existsSync(join(folder, path));
  const next = choices.next ?? (!choices.hono && installed("next"));
  const scanned = scanSources(folder);
  const tsconfig = has("tsconfig.json") ? readFileSync(join(folder, "tsconfig.json"), "utf8") : undefined;
  const typescript = scanned.typescript || tsconfig !== undefined || installed("typescript");
  const files = filesOf(has, typescript ? "ts" : next || type === "module" ? "js" : "mjs");
  const { agent, tools } = scanned;
  const manager = Object.keys(packageManagers).find(has) ?? "";
  return {
    ...scanned,
    id: scanned.client?.id ?? (name ?? "app").replace(/^@[^/]*\//, ""),
    way: wayOf(choices, dependencies),
    next,
    desk: agent === files.desk || (agent === undefined && tools.length === 0 && !has(files.desk)),
    files,
    typescript,
    imports: !typescript || scanned.importsTs ? "own" : next ? "none" : "js",
    namesNodeTypes: !next && tsconfig !== undefined && !namesNode(tsconfig),
    isModule: type === "module",
    // tsx refuses the top-level await of the test in a project of CommonJS, which Next's projects are.
    vitest: installed("vitest") || (next && typescript && type !== "module"),
    has,
    installed,
    packageManager: packageManagers[manager] ?? npm,
  };
}

function wayOf({ agentKit, aiSdk, loop }: Choices, dependencies: Record<string, string>): Project["way"] {
  if (agentKit) return "agent-kit";
  if (aiSdk) return "ai-sdk";
  if (loop) return "loop";
  if ("@inngest/agent-kit" in dependencies) return "agent-kit";
  return "ai" in dependencies ? "ai-sdk" : "loop";
}

function filesOf(has: (path: string) => boolean, extension: string): Project["files"] {
  const sources = has("src") ? "src" : "";
  // Next ignores src/app beside app or pages.
  const app = has("src") && !has("app") && !has("pages") ? "src/app" : "app";
  return {
    instance: posix.join(sources, `countersign.${extension}`),
    desk: posix.join(sources, `desk.${extension}`),
    test: posix.join(sources, `countersign.test.${extension}`),
    server: posix.join(sources, `server.${extension}`),
    inngestRoute: `${app}/api/inngest/route.${extension}`,
    approvalsRoute: `${app}/approvals/[[...route]]/route.${extension}`,
  };
}

/** Whether the option `types` names Node, outside of comments. */
function namesNode(tsconfig: string): boolean {
  return /"types"\s*:\s*\[[^\]]*"node"/.test(tsconfig.replace(/\/\/.*$/gm, ""));
}

function readManifest(folder: string): z.infer<typeof manifestSchema> {
  const path = join(folder, "package.json");
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new UsageError("package.json: cannot be read in this folder");
  }
  const manifest = manifestSchema.safeParse(value);
  if (!manifest.success) throw new UsageError(`package.json: ${manifest.error.issues[0]?.message}`);
  return manifest.data;
}
