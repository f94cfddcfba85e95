import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UsageError } from "../cli-io.js";
import { type Sources, scanSources } from "./scan-sources.js";

const manifestSchema = z.object({
  name: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
});

/** The project to which `init` adds files. */
export interface Project extends Sources {
  folder: string;
  /** Id for the Inngest client. */
  name: string;
  /** Source folder relative to the project folder: `src` or an empty string. */
  sources: string;
  typescript: boolean;
  /** Extension of imports of its own files: empty if a bundler adds it. */
  importExtension: string;
  /** The command that installs packages, chosen by the lockfile, such as `npm install`. */
  install: string;
  /** Required packages that are not installed. */
  missing: string[];
}

const needed = ["countersign", "@countersign/policy", "postgres", "inngest", "hono", "zod"];

const packageManagers = [
  ["pnpm-lock.yaml", "pnpm add"],
  ["yarn.lock", "yarn add"],
  ["bun.lock", "bun add"],
  ["bun.lockb", "bun add"],
] as const;

/** @throws UsageError if the folder is not an AgentKit project. */
export function readProject(folder: string): Project {
  const { name, dependencies, devDependencies } = readManifest(folder);
  const installed = { ...dependencies, ...devDependencies };
  if (!("@inngest/agent-kit" in installed)) {
    throw new UsageError(
      'package.json: does not depend on "@inngest/agent-kit"; run this in an AgentKit project',
    );
  }
  const [, install = "npm install"] = packageManagers.find(([file]) => existsSync(join(folder, file))) ?? [];
  return {
    folder,
    name: (name ?? "app").replace(/^@[^/]*\//, ""),
    sources: existsSync(join(folder, "src")) ? "src" : "",
    typescript: "typescript" in installed || existsSync(join(folder, "tsconfig.json")),
    importExtension: "next" in installed ? "" : ".js",
    install,
    ...scanSources(folder),
    missing: needed.filter((wanted) => !(wanted in installed)),
  };
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
