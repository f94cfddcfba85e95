import { createHash, randomUUID } from "node:crypto";
import { existsSync, openAsBlob, readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { migrationSql } from "countersign/internal";

/** The image in this process. On disk, it is in `node_modules/.cache/countersign`. */
let image: Promise<Blob> | undefined;

/** A PGlite in memory that has the tables of Countersign and of the local engine, and nothing in them. */
export async function openMigratedPglite(): Promise<PGlite> {
  const { PGlite } = await import("@electric-sql/pglite");
  return PGlite.create({ loadDataDir: await migratedImage() });
}

function migratedImage(): Promise<Blob> {
  image ??= keptImage().catch((error: unknown) => {
    image = undefined;
    throw error;
  });
  return image;
}

async function keptImage(): Promise<Blob> {
  const folder = cacheFolder();
  const kept = folder === undefined ? undefined : join(folder, `pglite-${await imageKey()}.tar`);
  if (kept !== undefined && existsSync(kept)) return openAsBlob(kept);
  const made = await makeImage();
  if (kept !== undefined) await keep(made, kept).catch(() => {});
  return made;
}

async function makeImage(): Promise<Blob> {
  const { PGlite } = await import("@electric-sql/pglite");
  const { createLocalEngine } = await import("@countersign/local-engine");
  const { pgliteStore } = await import("countersign/pglite");
  const pglite = await PGlite.create("memory://");
  await pgliteStore({ client: pglite }).migrate();
  const engine = await createLocalEngine({ database: { pglite } });
  await engine.stop();
  // Load time depends on the number of files and the size of the WAL, so remove what tests do not need.
  await pglite.exec("update pg_database set datistemplate = false");
  await pglite.exec("drop database template0");
  await pglite.exec("drop database template1");
  await pglite.exec("checkpoint");
  const dump = await pglite.dumpDataDir("none");
  await pglite.close();
  return dump;
}

/** Several test workers may write the file at the same time, so it gets its name only when it is complete. */
async function keep(made: Blob, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${randomUUID()}`;
  try {
    await writeFile(unfinished, new Uint8Array(await made.arrayBuffer()));
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/**
 * The name of the file. It changes with the version of PGlite, whose data format may change, and with the migrations.
 */
async function imageKey(): Promise<string> {
  const { migrationsHash: engineMigrationsHash } = await import("@countersign/local-engine");
  const pglite = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(dirname(pglite), "../package.json"), "utf8"),
  );
  const parts = [version, migrationSql(), engineMigrationsHash()];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

/** `.cache/countersign` in the nearest `node_modules`; `undefined` if there is none. */
function cacheFolder(): string | undefined {
  for (let at = process.cwd(); ; at = dirname(at)) {
    const modules = join(at, "node_modules");
    if (existsSync(modules)) return join(modules, ".cache", "countersign");
    if (at === dirname(at)) return undefined;
  }
}
