import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { extname, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { watch } from "chokidar";
import { UsageError } from "../cli-io.js";
import { type AppMessage, type AppSettings, appMessage, settingsVariable } from "./messages.js";

const patienceMs = 5_000;
const changeMs = 100;
const skipped = new Set(["node_modules", "dist", "build", "coverage"]);
const watched = /\.([cm]?[jt]sx?|json|ya?ml)$/;

export interface AppProcess {
  settings: AppSettings;
  /** What {@link loaderOf} says. */
  loader: readonly string[];
  environment: Record<string, string>;
  onMessage(message: AppMessage): void;
  log(line: string): void;
}

/** Runs the app in a process of its own, and in a new one after each change of its files. */
export function keepRunning({ settings, loader, environment, onMessage, log }: AppProcess) {
  let child: ChildProcess | undefined;
  let restarting: Promise<void> | undefined;
  let again = false;
  const start = () => {
    const [, command = ""] = process.argv;
    const started = spawn(process.execPath, [...loader, command], {
      env: { ...process.env, ...environment, [settingsVariable]: JSON.stringify(settings) },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    child = started;
    started.on("message", (message) => {
      const known = appMessage.safeParse(message);
      if (known.success) onMessage(known.data);
    });
    started.on("exit", (code) => {
      if (child !== started) return;
      child = undefined;
      if (!restarting) log(`The app has ended with exit code ${code}. It starts again when a file changes.`);
    });
  };
  const end = async () => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, "exit");
    ending.kill("SIGTERM");
    const late = setTimeout(() => ending.kill("SIGKILL"), patienceMs);
    await ended;
    clearTimeout(late);
  };
  const restart = async () => {
    do {
      again = false;
      await end();
      start();
    } while (again);
    restarting = undefined;
  };
  const folder = process.cwd();
  const files = watch(folder, {
    ignoreInitial: true,
    ignored: (path, stats) => {
      const parts = relative(folder, path).split(/[\\/]/);
      if (parts.some((part) => part.startsWith(".") || skipped.has(part))) return path !== folder;
      return stats?.isFile() === true && !watched.test(path);
    },
  });
  let soon: NodeJS.Timeout | undefined;
  files.on("all", (_event, path) => {
    clearTimeout(soon);
    soon = setTimeout(() => {
      log(`${relative(folder, path)} has changed: the app starts again.`);
      again = true;
      restarting ??= restart();
    }, changeMs);
  });
  start();
  return {
    async stop(): Promise<void> {
      clearTimeout(soon);
      await files.close();
      await restarting;
      await end();
    },
  };
}

/**
 * What Node needs to load the app's file.
 * @throws UsageError if the project lacks it.
 */
export function loaderOf(file: string): string[] {
  if (!/^\.[cm]?tsx?$/.test(extname(file))) return [];
  try {
    const tsx = createRequire(file).resolve("tsx");
    return ["--import", pathToFileURL(tsx).href];
  } catch {
    // Newer versions of Node load TypeScript themselves.
    if (Reflect.get(process.features, "typescript")) return [];
    throw new UsageError(`${file}: this version of Node needs a loader for it: npm install --save-dev tsx`);
  }
}
