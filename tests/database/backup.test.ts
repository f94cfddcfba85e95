import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { expect, it } from "vitest";
import { executedCall } from "../support/evidence/past.js";
import { installedPostgres, startInstalledPostgres } from "../support/postgres/installed-postgres.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

const guide = readFileSync(new URL("../../docs/operating/database.md", import.meta.url), "utf8");
const [, chapter = ""] = /## Back up and restore\n([\s\S]*?)\n## /.exec(guide) ?? [];
const lines = [...chapter.matchAll(/^\$ (.*)$/gm)].map(([, line = ""]) => line);

/** Rows of each table of Countersign, as a superuser sees them. */
async function rowsOf(url: string): Promise<Record<string, number>> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const tables = await sql`select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('countersign', 'drizzle') order by 1`;
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await sql.unsafe(`select count(*)::int as count from ${name}`);
    counts[name] = row?.count;
  }
  await sql.end();
  return counts;
}

// Without an installed Postgres there is no pg_dump.
it.skipIf(installedPostgres === undefined)(
  "the guide's lines back up all tenants as the owner, and restore a log that is in order",
  async () => {
    const bin = installedPostgres ?? "";
    using server = await startInstalledPostgres(bin);
    const admin = postgres(server.url("postgres", "postgres"), { max: 1, onnotice: () => {} });
    await admin`create role desk_owner login nosuperuser nobypassrls`;
    for (const name of ["desk", "restored"]) await admin.unsafe(`create database ${name} owner desk_owner`);
    await admin.end();
    const store = postgresStore({ url: server.url("desk_owner", "desk") });
    await store.migrate();
    await executedCall(store);
    await proposeCall(store, { tenantId: "bolt" });
    await store.close();

    const folder = mkdtempSync(join(tmpdir(), "backup-"));
    const root = fileURLToPath(new URL("../../", import.meta.url));
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(join(root, "node_modules", ".bin"), join(folder, "node_modules", ".bin"));
    const printed = lines.map((line) =>
      execFileSync("sh", ["-c", line], {
        cwd: folder,
        encoding: "utf8",
        env: {
          PATH: [bin, dirname(process.execPath), process.env.PATH].join(":"),
          HOME: folder,
          npm_config_update_notifier: "false",
          DATABASE_URL: server.url("desk_owner", "desk"),
          RESTORED_URL: server.url("desk_owner", "restored"),
        },
      }),
    );

    const before = await rowsOf(server.url("postgres", "desk"));
    expect(before).toMatchObject({ "countersign.approvals": 2, "countersign.requests": 2 });
    expect(await rowsOf(server.url("postgres", "restored"))).toEqual(before);
    expect(printed.join("")).toMatch(
      /up to date[\s\S]*"acme": \d+ entries, all in order[\s\S]*"bolt": \d+ entries/,
    );
    const sql = postgres(server.url("desk_owner", "restored"), { max: 1, onnotice: () => {} });
    expect(await sql`select row_security_active('countersign.approvals') as bound`).toMatchObject([
      { bound: true },
    ]);
    await sql`set countersign.all_tenants = 'on'`;
    await expect(sql`delete from countersign.audit_entries`).rejects.toThrow();
    await sql.end();
  },
);
