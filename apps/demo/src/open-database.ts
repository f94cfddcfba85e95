import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import postgres from "postgres";
import type { DemoConfig } from "./config.js";
import { ConfigError } from "./config-error.js";
import { databaseImage } from "./database-image.js";
import type { DatabaseClient } from "./desk/database.js";

export interface OpenDatabase {
  client: DatabaseClient;
  close(): Promise<void>;
}

/**
 * Connects to Postgres, or opens PGlite in its folder.
 *
 * @throws ConfigError if the database does not respond or the folder cannot be used.
 */
export async function openDatabase({ databaseUrl, dataDir }: DemoConfig): Promise<OpenDatabase> {
  return databaseUrl === undefined ? openPglite(dataDir) : openPostgres(databaseUrl);
}

async function openPostgres(url: string): Promise<OpenDatabase> {
  const sql = postgres(url, { max: 10, fetch_types: false, onnotice: () => {} });
  try {
    await sql`select 1`;
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw new ConfigError([
      `DATABASE_URL does not lead to a database that answers (${causeOf(error)}). Start it, or unset DATABASE_URL to use the built-in PGlite.`,
    ]);
  }
  return { client: { postgres: sql }, close: () => sql.end({ timeout: 5 }) };
}

async function openPglite(dataDir: string): Promise<OpenDatabase> {
  const pglite = await startPglite(dataDir);
  return { client: { pglite }, close: () => pglite.close() };
}

async function startPglite(dataDir: string): Promise<PGlite> {
  if (dataDir === "memory://") return PGlite.create(await beginning());
  const folder = join(dataDir, "pglite");
  try {
    await mkdir(folder, { recursive: true });
    const isEmpty = (await readdir(folder)).length === 0;
    return await PGlite.create(folder, isEmpty ? await beginning() : {});
  } catch (error) {
    throw new ConfigError([
      `DATA_DIR="${dataDir}" cannot be used as a database folder (${causeOf(error)}). For example: DATA_DIR=.data`,
    ]);
  }
}

/** Spares an empty database its creation and migration. */
async function beginning(): Promise<PGliteOptions> {
  const loadDataDir = await databaseImage();
  return loadDataDir ? { loadDataDir } : {};
}

/** The error code if there is one, because messages may repeat parts of the URL. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
