import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { first } from "./en/first.js";
import { en } from "./en/index.js";

const source = join(import.meta.dirname, "..");

/** The modules that an entry loads before any lazy part, without the texts. */
function loadedWith(entry: string): Map<string, string> {
  const modules = new Map<string, string>();
  const follow = (path: string) => {
    if (modules.has(path) || path.startsWith(join(source, "words"))) return;
    const text = readFileSync(path, "utf8");
    modules.set(path, text);
    for (const [, from = ""] of text.matchAll(
      /^(?:import (?!type)|export (?!type)|\} )[^;]*?from "(\.[^"]+)\.js";$/gm,
    )) {
      const base = join(path, "..", from);
      follow(existsSync(`${base}.ts`) ? `${base}.ts` : `${base}.tsx`);
    }
  };
  follow(join(source, entry));
  return modules;
}

it("what the first view loads uses no texts of lazy parts, which come later", () => {
  const late = Object.keys(en).filter((section) => !(section in first));
  expect(late).toContain("decide");
  const usesLate = new RegExp(`\\bwords\\.(${late.join("|")})\\b|= words;`);
  for (const entry of ["page/main.tsx", "index.ts"]) {
    const modules = loadedWith(entry);
    expect([...modules.keys()]).toContain(join(source, "list/list-pane.tsx"));
    expect([...modules].flatMap(([path, text]) => (usesLate.test(text) ? path : []))).toEqual([]);
  }
});
