import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
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
    const open = [() => postgresStore({ url: process.env.DATABASE_URL }), () => pgliteStore()];
    for (const store of open.slice(0, Number(process.env.STORES))) {
      const opened = store();
      await opened.migrate();
      console.log(await opened.isMigrated());
      await opened.close();
    }
    if (process.env.STORES === "1") return;
    const engine = await createLocalEngine({ database: "memory" });
    await engine.stop();
  }
  main();
`;

it.each([
  // Migrations and engine are the same text in both.
  ["esm", "1"],
  ["cjs", "2"],
] as const)("a bundled app migrates with no files beside it (%s)", async (format, STORES) => {
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
    mkdirSync(join(folder, pglite, ".."), { recursive: true });
    symlinkSync(fileURLToPath(new URL(`../../${pglite}`, import.meta.url)), join(folder, pglite));
    const env = { ...process.env, DATABASE_URL: database.url, STORES };
    const { stdout } = await promisify(execFile)(process.execPath, [outfile], { cwd: folder, env });
    expect(stdout).toBe("true\n".repeat(Number(STORES)));
    const [row] = await database.admin`select count(*)::int as applied from drizzle.countersign_migrations`;
    expect(row?.applied).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
