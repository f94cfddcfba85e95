import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { deferredStore } from "../store/deferred-store.js";
import type { Store as OpaqueStore } from "../store/opaque-store.js";
import { type Store, storeVerbs } from "../store/store.js";

/** Where the store of development keeps its data, below the working directory. */
export const developmentFolder = ".countersign";

/** Milliseconds for which an app that starts waits for the one before it to end. */
const patienceMs = 3_000;
const lookMs = 100;

/** A bundler loads a module twice, and PGlite must open its folder once. */
const openedKey = Symbol.for("countersign:development-stores");

/** A variable, so that a bundler does not want the optional package. */
const pglite: string = "countersign/pglite";

/**
 * The store of an app in development that names none: PGlite in the folder `.countersign`, in memory while tests run. It is
 * opened and migrated by its first use. All instances of a process share it, and the last one to close closes it.
 */
export function developmentStore(): Store {
  const folder = resolve(developmentFolder);
  const stores: Map<string, Shared> = Reflect.get(globalThis, openedKey) ?? new Map();
  Reflect.set(globalThis, openedKey, stores);
  const shared = stores.get(folder) ?? { store: deferredStore(() => openIn(folder)), users: 0 };
  stores.set(folder, shared);
  shared.users += 1;
  let closed: Promise<void> | undefined;
  const close = async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    stores.delete(folder);
    await shared.store.close();
  };
  return Object.assign(Object.create(shared.store), { close: () => (closed ??= close()) });
}

interface Shared {
  store: Store;
  /** Instances that have not closed it. */
  users: number;
}

async function openIn(folder: string): Promise<Store> {
  const dataDir = process.env.NODE_ENV === "test" ? "memory://" : join(folder, "data");
  const { pgliteStore } = await loadPglite();
  if (dataDir !== "memory://") await takeFolder(folder);
  const store = storeVerbs(pgliteStore({ dataDir }));
  try {
    await store.migrate();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What is used of the entry point. */
interface PgliteEntry {
  pgliteStore(options: { dataDir: string }): OpaqueStore;
}

async function loadPglite(): Promise<PgliteEntry> {
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ pglite);
  } catch (error) {
    if (Reflect.get(Object(error), "code") !== "ERR_MODULE_NOT_FOUND") throw error;
    throw wrongOption(
      "store",
      "is missing, and the database of development needs a package: npm install --save-dev @electric-sql/pglite, or pass store: postgresStore() from countersign/postgres",
    );
  }
}

/**
 * Keeps other processes out until this one ends: PGlite does not notice that another has its folder open, and destroys it.
 *
 * @param name Of the file that names the process.
 * @throws CountersignError `invalid_option` if another process has the folder.
 */
export async function takeFolder(folder: string, name = "process"): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".gitignore"), "*\n");
  const lock = join(folder, name);
  for (let waitedMs = 0; !taken.has(lock) && !tryTake(lock); waitedMs += lookMs) {
    if (waitedMs >= patienceMs) {
      throw wrongOption(
        "store",
        `is missing, and the process ${ownerOf(lock)} has the database of development open in ${folder}. It serves one process: end the other (or remove ${lock} if it is not Countersign's), or pass store: postgresStore() to both`,
      );
    }
    await pause(lookMs);
  }
}

/** The files that this process has written. */
const taken = new Set<string>();

/** Writes the file, unless a living process has. Only one of several processes that try at once succeeds. */
function tryTake(lock: string): boolean {
  if (!isOwned(lock)) rmSync(lock, { force: true });
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
  } catch (error) {
    if (Reflect.get(Object(error), "code") === "EEXIST") return false;
    throw error;
  }
  taken.add(lock);
  process.once("exit", () => rmSync(lock, { force: true }));
  return true;
}

/** Whether the process that wrote the file lives. Where each app is process 1, an older file is that of an earlier one. */
function isOwned(lock: string): boolean {
  const owner = ownerOf(lock);
  if (owner === undefined || !isAlive(owner)) return false;
  const startedAt = Date.now() - process.uptime() * 1000;
  return owner !== process.pid || (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= startedAt;
}

function ownerOf(lock: string): number | undefined {
  try {
    return Number(readFileSync(lock, "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return Reflect.get(Object(error), "code") === "EPERM";
  }
}
