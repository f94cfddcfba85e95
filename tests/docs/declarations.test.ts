import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { declarationsOf, entriesOf, fileOf, originOf, packages } from "../support/docs/declarations.js";

/** The packages that an entry point imports, each with the first file that imports it. */
function packagesReachedBy(entry: string): Map<string, string> {
  const reached = new Map<string, string>();
  const visited = new Set<string>();
  const visit = (file: string) => {
    if (visited.has(file)) return;
    visited.add(file);
    for (const module of declarationsOf(file).modules) {
      const next = fileOf(file, module);
      if (next !== undefined) visit(next);
      else if (!reached.has(module)) reached.set(module, file);
    }
  };
  visit(entry);
  return reached;
}

/** Whether a built file loads a package, itself or by way of others. */
function loads(name: string, file: string, visited = new Set<string>()): boolean {
  if (visited.has(file)) return false;
  visited.add(file);
  const specifiers = [...readFileSync(file, "utf8").matchAll(/^(?:import|export) .*?"([^"]+)";$/gm)];
  return specifiers.some(
    ([, specifier = ""]) =>
      specifier === name ||
      specifier.startsWith(`${name}/`) ||
      (specifier.startsWith(".") && loads(name, join(dirname(file), specifier), visited)),
  );
}

/** Entry points that export another package's types. An app that imports one has that package too. */
const isOfDrizzle = (entry: string) => entry === "./schema";

describe.each(packages)("the declarations of $name", ({ folder, manifest }) => {
  it("import no package whose own declarations do not compile without skipLibCheck", () => {
    const entries = entriesOf(folder).filter(([entry]) => !isOfDrizzle(entry));
    const reaching = entries.flatMap(([entry, file]) =>
      [...packagesReachedBy(file)]
        .filter(([name]) => /^(drizzle-orm|@electric-sql)\b/.test(name))
        .map(([name, by]) => `${entry}: ${name}, imported by ${relative(folder, by)}`),
    );
    expect(reaching).toEqual([]);
  });

  it("mention only types that an entry point exports", () => {
    const key = (origin: { file: string; name: string }) =>
      `${relative(folder, origin.file)}: ${origin.name}`;
    const origins = entriesOf(folder).flatMap(([, file]) =>
      [...declarationsOf(file).exported.keys()].flatMap((name) => originOf(file, name) ?? []),
    );
    // By this package, or by one that it stands on.
    const needed = { ...manifest.dependencies, ...manifest.peerDependencies };
    const exported = new Set(
      packages
        .filter((other) => other.folder === folder || other.name in needed)
        .flatMap((other) => entriesOf(other.folder))
        .flatMap(([, file]) =>
          [...declarationsOf(file).exported.keys()].flatMap((name) => originOf(file, name) ?? []),
        )
        .map(key),
    );
    const unexported = origins.flatMap((origin) => {
      const text = declarationsOf(origin.file).declared.get(origin.name)?.text ?? "";
      const names = new Set(text.replace(/"(?:[^"\\]|\\.)*"/g, "").match(/(?<![.\w])[A-Z]\w*/g) ?? []);
      return [...names].flatMap((name) => {
        const mentioned = originOf(origin.file, name);
        const isType = mentioned && declarationsOf(mentioned.file).declared.get(mentioned.name)?.isType;
        return mentioned && isType && !exported.has(key(mentioned))
          ? [`${key(mentioned)}, mentioned by ${origin.name}`]
          : [];
      });
    });
    expect(origins.length).toBeGreaterThan(0);
    expect([...new Set(unexported)].sort()).toEqual([]);
  });
});

it("only AgentKit's own entry points name AgentKit, in declarations and when they run", () => {
  const { folder = "" } = packages.find(({ name }) => name === "countersign") ?? {};
  const naming = entriesOf(folder).filter(([, file]) => packagesReachedBy(file).has("@inngest/agent-kit"));
  expect(naming.map(([entry]) => entry).sort()).toEqual(["./agent-kit"]);
  expect(entriesLoading("@inngest/agent-kit")).toEqual(["./agent-kit"]);
});

it("only what serves with Hono loads Hono", () => {
  expect(entriesLoading("hono")).toEqual(["./hono"]);
});

it("what operators do in code loads nothing of the command", () => {
  expect(entriesLoading("commander", "@countersign/cli")).toEqual(["./main"]);
});

/** The entry points of a package that load another one when they are imported. */
function entriesLoading(name: string, of = "countersign"): string[] {
  const { folder = "" } = packages.find((one) => one.name === of) ?? {};
  const loading = entriesOf(folder).filter(([, file]) => loads(name, file.replace(/\.d\.ts$/, ".js")));
  return loading.map(([entry]) => entry);
}

/** How many names an entry point of `countersign` exports. */
function namesOf(file: string): number {
  const { folder = "" } = packages.find(({ name }) => name === "countersign") ?? {};
  const { size } = declarationsOf(join(folder, `dist/${file}.d.ts`)).exported;
  expect(size).toBeGreaterThan(0);
  return size;
}

it("the entry points without promise have few names", () => {
  expect(namesOf("internal") + namesOf("store/maintenance")).toBeLessThanOrEqual(25);
});

it("a newcomer finds few entry points, and few names at the root", () => {
  const { folder = "" } = packages.find(({ name }) => name === "countersign") ?? {};
  const open = entriesOf(folder).filter(([entry]) => !entry.startsWith("./internal"));
  expect(open.length).toBeLessThanOrEqual(14);
  expect(namesOf("index")).toBeLessThanOrEqual(60);
});
