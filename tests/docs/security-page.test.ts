import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}docs/security.md`, "utf8");
const promised = page.slice(page.indexOf("## What is promised"), page.indexOf("## What is not promised"));

/** The rows of the tables of promises: what is promised, and the cell with the tests. */
const promises = [...promised.matchAll(/^\| (?!promise |-)(.+?) +\| (.+?) +\|$/gm)].map(
  ([, promise = "", tests = ""]) => ({ promise, tests }),
);

/** The paths in a cell, from the root. `…` stands for the beginning of the path before. */
function pathsIn(cell: string): string[] {
  const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  const paths: string[] = [];
  for (const name of names) {
    if (name.startsWith("…/")) {
      const folders = (paths.at(-1) ?? "").split("/");
      const candidates = folders.map((_, at) => [...folders.slice(0, at), name.slice(2)].join("/"));
      paths.push(candidates.find((path) => existsSync(root + path)) ?? name);
    } else paths.push(/^(packages|apps)\//.test(name) ? name : `tests/${name}`);
  }
  return paths;
}

/** Whether a path is a file of tests, with its ending or without it, or a folder of such files. */
function hasTests(path: string): boolean {
  const file = [path, `${path}.test.ts`].find((each) => existsSync(root + each));
  if (file === undefined) return false;
  if (statSync(root + file).isDirectory())
    return readdirSync(root + file).some((name) => hasTests(`${file}/${name}`));
  return file.endsWith(".test.ts") && /\b(it|test)\b/.test(readFileSync(root + file, "utf8"));
}

describe("the page about security", () => {
  it("names at least one test for each promise", () => {
    expect(promises.length).toBeGreaterThan(25);
    expect(promises.filter(({ tests }) => pathsIn(tests).length === 0)).toEqual([]);
  });

  it("names only tests that are there", () => {
    const missing = promises.flatMap(({ promise, tests }) =>
      pathsIn(tests)
        .filter((path) => !hasTests(path))
        .map((path) => `${path}, for: ${promise.slice(0, 60)}`),
    );
    expect(missing).toEqual([]);
  });
});
