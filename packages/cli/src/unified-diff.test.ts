import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { unifiedDiff } from "./unified-diff.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-unified-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const names = { from: "a policy.yaml", to: "a policy.yaml" };

/** The text after a program has applied the difference. */
function applied(command: readonly [string, ...string[]], before: string, diff: string): string {
  const path = join(folder, names.to);
  writeFileSync(path, before);
  const [program, ...argv] = command;
  const { status, stdout, stderr } = spawnSync(program, argv, { cwd: folder, input: diff, encoding: "utf8" });
  expect([status, status === 0 ? "" : stdout + stderr + diff]).toEqual([0, ""]);
  return readFileSync(path, "utf8");
}

const isInstalled = (program: string) => spawnSync(program, ["--version"]).status === 0;
const texts = fc
  .tuple(fc.array(fc.constantFrom("a", "b", "", "- c", "+d"), { maxLength: 25 }), fc.boolean(), fc.boolean())
  .map(([lines, ends, windows]) => {
    const newline = windows ? "\r\n" : "\n";
    return lines.join(newline) + (ends && lines.length > 0 ? newline : "");
  })
  .filter((text) => text !== "");

it.for([
  ["git apply", ["git", "apply", "-p0", "-"]],
  ["patch", ["patch", "-p0", "--binary", "--quiet"]],
] as const)("%s changes a text as its unified difference says", ([, command], { skip }) => {
  skip(!isInstalled(command[0]), "not every system has this program");
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      fc.pre(before !== after);
      expect(applied(command, before, unifiedDiff(names, before, after))).toBe(after);
    }),
    { numRuns: 60 },
  );
});

it("a unified difference has three lines around each change", () => {
  const before = Array.from({ length: 20 }, (_, line) => `${line}\n`);
  const after = before.flatMap((line, index) => (index === 4 ? [] : index === 15 ? [line, "new\n"] : [line]));
  const same = { from: "p", to: "p" };
  expect(unifiedDiff(same, before.join(""), after.join(""))).toBe(
    "--- p\n+++ p\n@@ -2,7 +2,6 @@\n 1\n 2\n 3\n-4\n 5\n 6\n 7\n@@ -14,6 +13,7 @@\n 13\n 14\n 15\n+new\n 16\n 17\n 18\n",
  );
  expect(unifiedDiff(same, "a", "a")).toBe("");
});
