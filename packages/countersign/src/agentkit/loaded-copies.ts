import type * as AgentKit from "@inngest/agent-kit";

type Copy = Pick<typeof AgentKit, "Agent" | "Network">;
type ModuleCache = Record<string, { exports: unknown } | undefined>;

/**
 * Copies of AgentKit that were loaded as CommonJS, beside the ES module that this package imports. An agent that a
 * CommonJS helper makes has another class.
 */
export function loadedCopies(): Copy[] {
  // Taken from the process, because a bundler would rewrite an import of it.
  const { createRequire } = process.getBuiltinModule("node:module");
  const cache = createRequire(process.execPath).cache as ModuleCache;
  return Object.keys(cache)
    .filter((file) => file.includes("agent-kit") && /[\\/]@inngest[\\/]agent-kit[\\/]/.test(file))
    .map((file) => cache[file]?.exports)
    .filter(isCopy);
}

function isCopy(exported: unknown): exported is Copy {
  return typeof exported === "object" && exported !== null && "Agent" in exported && "Network" in exported;
}
