import { readFileSync } from "node:fs";
import postgres from "postgres";
import { afterEach, expect, inject, it, vi } from "vitest";
import { postgresStore } from "../support/store.js";

const guide = readFileSync(new URL("../../docs/operating/database.md", import.meta.url), "utf8");
const [, creation = ""] = /```sql\n(create role \w+ login [^`]*?create database [^`]*?)```/.exec(guide) ?? [];

/** Runs the guide's statements, with the role's name replaced if `role` is set, and opens the new database. */
async function openDatabase(role?: string) {
  const [, documented = ""] = /create role (\w+)/.exec(creation) ?? [];
  const [, name = ""] = /create database (\w+)/.exec(creation) ?? [];
  const owner = role ?? documented;
  const admin = postgres(`${inject("postgresUrl")}/postgres`, { max: 1, onnotice: () => {} });
  for (const statement of creation
    .replaceAll("…", "secret")
    .replaceAll(documented, owner)
    .trim()
    .split(";\n"))
    await admin.unsafe(statement);
  const url = new URL(`${inject("postgresUrl")}/${name}`);
  url.username = owner;
  url.password = "secret";
  const app = postgres(url.href, { max: 1, onnotice: () => {} });
  return {
    ...{ url: url.href, admin, app },
    [Symbol.asyncDispose]: async () => {
      await app.end();
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.unsafe(`drop role ${owner}`);
      await admin.end();
    },
  };
}

/** What the store logs at its first use. */
async function warningsAtStart(url: string): Promise<string> {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const store = postgresStore({ url, max: 1 });
  await store.isMigrated();
  await store.isMigrated();
  await store.close();
  return warn.mock.calls.join("\n");
}

afterEach(() => {
  vi.restoreAllMocks();
});

it("the documented role keeps the app's own tables when Countersign adds tables of the same names", async () => {
  await using database = await openDatabase();
  await database.app`create table threads (id text, title text)`;
  await database.app`insert into threads values ('1', 'mine')`;
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const store = postgresStore({ url: database.url });
  await store.migrate();
  await store.close();
  expect(await database.app`select count(*)::int from threads`).toMatchObject([{ count: 1 }]);
  expect(await database.app`select title from threads`).toMatchObject([{ title: "mine" }]);
  expect(warn).not.toHaveBeenCalled();
  expect(await warningsAtStart(database.url)).toBe("");
});

it("a role named like the schema gets one warning when it migrates and at each start, until it is cured", async () => {
  await using database = await openDatabase("countersign");
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const store = postgresStore({ url: database.url });
  await store.migrate();
  await store.close();
  expect(warn.mock.calls).toEqual([[expect.stringContaining("alter role … set search_path = public")]]);
  warn.mockClear();
  expect(await warningsAtStart(database.url)).toContain("alter role … set search_path = public");
  expect(warn).toHaveBeenCalledTimes(1);
  warn.mockClear();
  await database.admin`alter role countersign set search_path = public`;
  expect(await warningsAtStart(database.url)).toBe("");
});
