import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { plants } from "../chaos/plants.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}CONTRIBUTING.md`, "utf8");
const section = page.slice(page.indexOf("## Invariants"), page.indexOf("## Documentation"));
const rows = [...section.matchAll(/^\| (.+) \| (.+?) +\|$/gm)].filter(([row]) => !row.includes("| -"));
const named = rows.flatMap(([, , proofs = ""]) => [...proofs.matchAll(/`([^`]+)`/g)].map(([, name]) => name));

it("CONTRIBUTING names each file of tests/core, and no other", () => {
  const files = readdirSync(`${root}tests/core`, { recursive: true, encoding: "utf8" });
  const tests = files.filter((file) => file.endsWith(".test.ts")).map((file) => file.slice(0, -8));
  const unique = [...new Set(named)].filter((name) => name !== "tests/core").sort();
  expect(unique).toEqual(tests.map((file) => file.replaceAll("\\", "/")).sort());
});

it("each invariant that chaos can find violated has a first proof", () => {
  const listed = rows.flatMap(([, first = ""]) => /^I\d+/.exec(first.trim()) ?? []);
  const folder = `${root}tests/chaos/check/`;
  const judged = readdirSync(folder).flatMap((file) => [
    ...readFileSync(folder + file, "utf8").matchAll(/"(I\d+)"/g),
  ]);
  expect(judged.length).toBeGreaterThan(0);
  for (const [, invariant] of judged) expect(listed).toContain(invariant);
});

it("the page about chaos names the first proof that finds each planted bug", () => {
  const chaos = readFileSync(`${root}docs/chaos.md`, "utf8");
  const finders = [...chaos.matchAll(/^\| `([a-z-]+)` .* \| `([a-z/-]+)` +\|$/gm)];
  expect(finders.map(([, plant]) => plant).sort()).toEqual(Object.keys(plants).sort());
  for (const [, , file] of finders) expect(named).toContain(file);
});
