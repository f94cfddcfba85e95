import { expect, test } from "vitest";
import { openDatabase } from "./open-database.js";

test.each([{ url: "postgres://127.0.0.1/x" }, { pglite: undefined }, "postgres://127.0.0.1/x", undefined])(
  "a database %j is refused, and not replaced by an empty one",
  async (option) => {
    await expect(openDatabase(option as never)).rejects.toThrow(/^database: must be "memory", \{ pglite \}/);
  },
);
