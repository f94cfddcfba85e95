import { postgresStore } from "countersign/postgres";
import { afterEach, expect, it, vi } from "vitest";
import { freshPostgres } from "../support/databases.js";

afterEach(() => vi.unstubAllEnvs());

it("without a URL, DATABASE_URL is read at the first use, so that a build needs none", async () => {
  await using database = await freshPostgres();
  vi.stubEnv("DATABASE_URL", undefined);
  const store = postgresStore();
  await expect(store.migrate()).rejects.toThrow(
    "url: is missing; set the environment variable DATABASE_URL to a connection string",
  );
  vi.stubEnv("DATABASE_URL", "sqlite://secret@host");
  await expect(store.migrate()).rejects.toThrow(/^DATABASE_URL: must be a connection string (?!.*secret)/);
  vi.stubEnv("DATABASE_URL", database.url);
  expect(await store.migrate()).toEqual([]);
  await store.close();
});

it("an empty URL counts as none, and another text is an error at once", () => {
  expect(() => postgresStore({ url: "" })).not.toThrow();
  expect(() => postgresStore({ url: "desk" })).toThrow(/^url: must be a connection string/);
});
