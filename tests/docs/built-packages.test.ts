import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { entriesOf, originOf, packages } from "../support/docs/declarations.js";

const sourceMap = z.object({ sources: z.array(z.string()) });

/** Those that the bundler of packages writes: the inbox is a page and the modules of its components. */
const bundled = packages.filter(({ name }) => name !== "@countersign/inbox");

/** The sources of each built file of a package, relative to its folder. */
function sourcesOf(folder: string): { file: string; sources: string[] }[] {
  const dist = join(folder, "dist");
  const maps = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".js.map"),
  );
  return maps.map((file) => ({
    file: file.replace(/\.map$/, ""),
    sources: sourceMap
      .parse(JSON.parse(readFileSync(join(dist, file), "utf8")))
      .sources.filter((source) => !source.includes("rolldown/runtime"))
      .map((source) => relative(folder, resolve(dist, dirname(file), source)).replaceAll(sep, "/")),
  }));
}

type Exported = { name: string; value: unknown; origin: string };

/** What a package's public entry points export when they run, each with the declaration that it comes from. */
async function exportedBy(folder: string): Promise<Exported[]> {
  // The command runs when it is imported.
  const entries = entriesOf(folder).filter(([entry]) => entry !== "./main");
  const exported = entries.map(async ([, file]) =>
    Object.entries(await loaded(file)).map(([name, value]) => {
      const origin = originOf(file, name);
      return { name, value, origin: `${origin?.file}: ${origin?.name}` };
    }),
  );
  return (await Promise.all(exported)).flat();
}

async function loaded(declarations: string): Promise<object> {
  return import(pathToFileURL(declarations.replace(/\.d\.ts$/, ".js")).href);
}

describe.each(bundled)("the built files of $name", ({ folder }) => {
  const files = sourcesOf(folder);

  it("hold modules of the package, and of no other but those whose licence it has", () => {
    const sources = files.flatMap(({ sources }) => sources);
    expect(sources.length).toBeGreaterThan(0);
    const others = sources.filter((source) => !source.startsWith("src/"));
    const licensed = others.filter((source) => {
      const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];
      return existsSync(join(folder, "licenses", `${name}.txt`));
    });
    expect(others).toEqual(licensed);
  });

  it("name libraries that a project of CommonJS can load, where TypeScript is run and not built", () => {
    for (const { file } of files) {
      const { resolve: required } = createRequire(join(folder, "dist", file));
      for (const library of importedBy(join(folder, "dist", file)))
        expect(() => required(library), `${file}: ${library}`).not.toThrow();
    }
  });

  it("hold each module once, so that entry points share its state and its classes", () => {
    const places = new Map<string, string[]>();
    for (const { file, sources } of files)
      for (const source of sources) places.set(source, [...(places.get(source) ?? []), file]);
    expect([...places].filter(([, where]) => where.length > 1)).toEqual([]);
  });

  it("keep the names of functions and classes that the bundler renames", () => {
    for (const { file } of files) {
      const text = readFileSync(join(folder, "dist", file), "utf8");
      const renamed = [...text.matchAll(/(?:function\*?|class) ((\w+)\$\d+)/g)];
      const nameless = renamed.filter(([, now, name]) => !text.includes(`__name(${now}, "${name}")`));
      expect(nameless.map(([, now]) => `${file}: ${now}`)).toEqual([]);
    }
  });

  it("have names that every file system takes", () => {
    for (const { file } of files) expect(file.length).toBeLessThan(140);
  });

  it("export nothing that is not declared", async () => {
    const undeclared = (await exportedBy(folder)).filter(({ origin }) => origin.startsWith("undefined"));
    expect(undeclared.map(({ name }) => name)).toEqual([]);
  });
});

it("an entry point for browsers brings no module that loads something later", () => {
  const seen = new Set<string>();
  const walk = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, "utf8");
    expect(text.includes("import("), file).toBe(false);
    for (const [, path = ""] of text.matchAll(/^(?:import|export)[^"]*"(\.[^"]+)";$/gm))
      walk(resolve(dirname(file), path));
  };
  const policy = packages.find(({ name }) => name === "@countersign/policy");
  walk(join(policy?.folder ?? "", "dist/display.js"));
  expect(seen.size).toBeGreaterThan(1);
});

it("what several entry points export is the same from each, across packages", async () => {
  const values = new Map<string, Set<unknown>>();
  for (const { folder } of packages.filter(({ name }) => /^(countersign|@countersign\/policy)$/.test(name)))
    for (const { origin, value } of await exportedBy(folder))
      values.set(origin, (values.get(origin) ?? new Set()).add(value));
  const errors = [...values].filter(([origin]) => origin.endsWith(": CountersignError"));
  expect(errors).toHaveLength(1);
  expect([...values].filter(([, different]) => different.size > 1).map(([origin]) => origin)).toEqual([]);
});

/** What a built file imports at once. */
function importedBy(file: string): string[] {
  const statements = readFileSync(file, "utf8").matchAll(/^(?:import|export) (?:.* from )?"([^"$]+)";?$/gm);
  return [...statements].map(([, specifier = ""]) => specifier);
}

/** The libraries that an entry point loads at once, with those of the packages of ours that it loads. */
function loadedAtOnce(entry: string): Set<string> {
  const libraries = new Set<string>();
  const files = [fileURLToPath(import.meta.resolve(entry))];
  for (const file of files) {
    for (const specifier of importedBy(file)) {
      const isOurs = /^(\.|countersign|@countersign\/)/.test(specifier);
      const resolved = isOurs ? createRequire(file).resolve(specifier) : undefined;
      if (resolved === undefined) libraries.add(/^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
      else if (!files.includes(resolved)) files.push(resolved);
    }
  }
  return libraries;
}

describe("the libraries that an entry point loads at once", () => {
  it.each([
    ["countersign", ["acorn", "drizzle-orm", "hono", "@inngest/agent-kit", "jose", "yaml"]],
    ["countersign/hono", ["acorn", "drizzle-orm", "inngest", "jose", "rate-limiter-flexible", "yaml"]],
    ["countersign/postgres", ["acorn", "hono", "inngest", "@marcbachmann/cel-js", "yaml"]],
    ["@countersign/policy", ["acorn", "@marcbachmann/cel-js", "yaml"]],
  ])("are, for %s, none that it may never use", (entry, unused) => {
    const loaded = loadedAtOnce(entry);
    expect(loaded).toContain("zod");
    expect(unused.filter((library) => loaded.has(library))).toEqual([]);
  });

  it.each(["@countersign/policy/display", "countersign/client"])("are none for %s, in browsers", (entry) => {
    expect([...loadedAtOnce(entry)]).toEqual([]);
  });
});
