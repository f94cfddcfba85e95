import { expect, test } from "vitest";
import { openDatabase } from "./open-database.js";

test.each([{ url: "postgres://127.0.0.1/x" }, { pglite: undefined }, "postgres://127.0.0.1/x", undefined])(
  "the database option %j is refused, and no empty database is opened in its place",
  async (option) => {
    await expect(openDatabase(option as never)).rejects.toThrow(/^database: must be "memory", \{ pglite \}/);
  },
);
