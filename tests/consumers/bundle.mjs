import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../support/postgres/own-postgres.mjs";
import { run, scratch } from "./project.mjs";

/** A server bundled into one file, which runs in a folder that holds nothing else but PGlite. */
export async function bundle({ folder }, check) {
  const postgres = await startPostgres({ flags: ["fsync=off"] });
  try {
    for (const format of ["esm", "cjs"]) {
      await check(`esbuild, ${format}`, async () => {
        await postgres.createDatabase(`bundle_${format}`);
        const file = format === "esm" ? "app.mjs" : "app.cjs";
        await run(folder, "npx", [
          "esbuild",
          join("bundle", "app.ts"),
          "--bundle",
          "--platform=node",
          `--format=${format}`,
          "--minify",
          `--outfile=${file}`,
          // PGlite reads files of its own from beside its module, so it stays a package.
          "--external:@electric-sql/pglite",
          ...(format === "esm"
            ? [
                "--banner:js=import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
              ]
            : []),
        ]);
        const alone = join(scratch, `bundled-${format}`);
        mkdirSync(alone);
        cpSync(join(folder, file), join(alone, file));
        const pglite = join("node_modules", "@electric-sql", "pglite");
        cpSync(join(folder, pglite), join(alone, pglite), { recursive: true });
        await approveOnce(alone, file, `${postgres.ownerUrl}/bundle_${format}`);
      });
    }
  } finally {
    await postgres.stop();
  }
}

/** The app asks its own agent for a refund, approves it over HTTP, and prints what happened. */
async function approveOnce(cwd, file, databaseUrl) {
  const printed = await run(cwd, process.execPath, [file], { DATABASE_URL: databaseUrl });
  const refunds = printed.split("\n").filter((line) => line === "refunded A-1001");
  if (refunds.length !== 1) throw new Error(`The app printed:\n${printed}`);
}
