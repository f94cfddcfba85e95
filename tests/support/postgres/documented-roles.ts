// The database roles of the guide, created and granted by the guide's own statements.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import postgres from "postgres";
import type { freshPostgres } from "../databases.js";

const guide = ["database", "retention"].map((page) =>
  readFileSync(new URL(`../../../docs/operating/${page}.md`, import.meta.url), "utf8"),
);
const statements = [...guide.join("\n").matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, sql = ""]) => sql);
const creation = statements.find((sql) => sql.includes("create role countersign_app")) ?? "";
export const documentedRights =
  statements.find((sql) => sql.includes("on all tables in schema countersign")) ?? "";
export const retentionRole = {
  creation: statements.find((sql) => sql.includes("create role countersign_retention")) ?? "",
  rights:
    statements.find((sql) => sql.includes("on all tables in schema countersign to countersign_retention")) ??
    "",
};

type Database = Awaited<ReturnType<typeof freshPostgres>>;

/** Creates the guide's role under a unique name, because roles belong to the whole server. */
export async function createRole(database: Database, sql = { creation, rights: documentedRights }) {
  const name = `app_${randomUUID().slice(0, 8)}`;
  const named = (text: string) => text.replaceAll(/countersign_(app|retention)/g, name);
  await database.admin.unsafe(named(sql.creation).replaceAll("…", "app"));
  const url = new URL(database.url);
  url.username = name;
  url.password = "app";
  return {
    url: url.href,
    /** Runs what the owner runs after each migration. */
    giveRights: async (text = sql.rights) => {
      const owner = postgres(database.url, { max: 1, onnotice: () => {} });
      await owner.unsafe(named(text));
      await owner.end();
    },
    [Symbol.asyncDispose]: async () => {
      await database.admin.unsafe(`drop owned by ${name}; drop role ${name}`);
    },
  };
}
