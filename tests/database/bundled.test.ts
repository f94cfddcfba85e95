import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { emptyPostgres } from "../support/databases.js";

const app = `
  import { createLocalEngine } from "@countersign/local-engine";
  import { pgliteStore } from "countersign/pglite";
  import { postgresStore } from "countersign/postgres";

  async function main() {
    for (const store of [postgresStore({ url: process.env.DATABASE_URL }), pgliteStore()]) {
      await store.migrate();
      console.log(await store.isMigrated());
      await store.close();
    }
    const engine = await createLocalEngine({ database: "memory" });
    await engine.stop();
  }
  main();
`;

it.each(["esm", "cjs"] as const)("a bundled app migrates with no files beside it (%s)", async (format) => {
  await using database = await emptyPostgres();
  const folder = mkdtempSync(join(tmpdir(), "countersign-bundle-"));
  try {
    const outfile = join(folder, format === "esm" ? "app.mjs" : "app.cjs");
    await build({
      stdin: { contents: app, resolveDir: fileURLToPath(new URL("..", import.meta.url)) },
      ...{ bundle: true, platform: "node", format, outfile, logLevel: "error" },
      // PGlite reads its own files from beside its module.
      external: ["@electric-sql/pglite"],
    });
    const pglite = "node_modules/@electric-sql/pglite";
    cpSync(fileURLToPath(new URL(`../../${pglite}`, import.meta.url)), join(folder, pglite), {
      recursive: true,
    });
    const env = { ...process.env, DATABASE_URL: database.url };
    const { stdout } = await promisify(execFile)(process.execPath, [outfile], { cwd: folder, env });
    expect(stdout).toBe("true\ntrue\n");
    const [row] = await database.admin`select count(*)::int as applied from drizzle.countersign_migrations`;
    expect(row?.applied).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
