import { openAsBlob } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { demoFolder } from "./demo-folder.js";

/**
 * Where the build keeps the migrated database with which an empty demo begins. Its name has the version of PGlite, which
 * alone reads what it has written.
 */
export async function databaseImagePath(): Promise<string> {
  const pglite = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const { version }: { version: string } = JSON.parse(
    await readFile(join(dirname(pglite), "..", "package.json"), "utf8"),
  );
  return fileURLToPath(new URL(`dist/database-image-${version}.tar`, demoFolder));
}

/** The image, or `undefined` without one: then the demo creates and migrates its database itself, which takes longer. */
export async function databaseImage(): Promise<Blob | undefined> {
  const path = await databaseImagePath();
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  return isThere ? openAsBlob(path) : undefined;
}
