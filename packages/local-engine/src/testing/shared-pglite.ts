import { PGlite } from "@electric-sql/pglite";

let shared: Promise<PGlite> | undefined;

/** One PGlite for the tests of a file, emptied: to start one takes longer than most tests. */
export async function emptyPglite(): Promise<PGlite> {
  shared ??= PGlite.create();
  const pglite = await shared;
  await pglite.exec("drop schema if exists local_engine cascade; drop schema if exists drizzle cascade");
  return pglite;
}
