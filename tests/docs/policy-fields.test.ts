import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withTables } from "../../scripts/policy-fields.mjs";

const page = readFileSync(new URL("../../docs/policy-fields.md", import.meta.url), "utf8");

it("docs/policy-fields.md has the tables of the schema; if not, run npm run docs:fields", () => {
  expect(withTables(page)).toBe(page);
});

it("a row that is not the schema's is written anew", () => {
  const changed = page.replace("| `quorum`", "| `quorom`");
  expect(changed).not.toBe(page);
  expect(withTables(changed)).toBe(page);
});
