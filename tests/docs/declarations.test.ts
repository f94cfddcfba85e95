import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const packages = ["countersign", "local-engine", "inbox"].map((name) => ({
  name,
  folder: fileURLToPath(new URL(`../../packages/${name}`, import.meta.url)),
}));

const manifestSchema = z.object({
  exports: z.record(z.string(), z.union([z.string(), z.looseObject({ types: z.string().optional() })])),
});

/** A package's entry points that have types, with their declaration files. */
function entriesOf(folder: string): [entry: string, file: string][] {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
  return Object.entries(manifest.exports).flatMap(([entry, target]) =>
    typeof target === "object" && target.types ? [[entry, resolve(folder, target.types)] as const] : [],
  ) as [string, string][];
}

interface Declarations {
  /** Imported names, each with its module and its name there. */
  imported: Map<string, { module: string; name: string }>;
  /** Exported names, each with the name by which the file declares or imports it. */
  exported: Map<string, { module: string | undefined; name: string }>;
  /** The text of each interface, type, class, function and constant. */
  declared: Map<string, { text: string; isType: boolean }>;
  modules: Set<string>;
}

const read = new Map<string, Declarations>();

/** Parses a declaration file that `tsc` wrote: each statement begins at the start of a line. */
function declarationsOf(file: string): Declarations {
  const known = read.get(file);
  if (known) return known;
  const text = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const found: Declarations = {
    imported: new Map(),
    exported: new Map(),
    declared: new Map(),
    modules: new Set(),
  };
  read.set(file, found);
  for (const [, module = ""] of text.matchAll(/(?:from|import)\s*\(?\s*["']([^"']+)["']/g)) {
    found.modules.add(module);
  }
  for (const statement of text.split(/^(?=(?:import|export|declare|interface|type)\b)/m)) {
    const listed = /^(import|export)[^{]*\{([^}]*)\}(?:\s*from\s*["']([^"']+)["'])?/.exec(statement);
    const declared = /^(export )?(?:declare )?(interface|type|class|function|const) (\w+)/.exec(statement);
    if (declared) {
      const [, isExported, kind, name = ""] = declared;
      found.declared.set(name, { text: statement, isType: /interface|type|class/.test(kind ?? "") });
      if (isExported) found.exported.set(name, { module: undefined, name });
    } else if (listed) {
      const [, verb, names = "", module] = listed;
      for (const item of names.split(",")) {
        const [, name = "", alias = name] = /^\s*(?:type )?(\w+)(?: as (\w+))?\s*$/.exec(item) ?? [];
        if (name === "") continue;
        if (verb === "export") found.exported.set(alias, { module, name });
        else if (module) found.imported.set(alias, { module, name });
      }
    }
  }
  return found;
}

const fileOf = (from: string, module: string) => resolve(dirname(from), module.replace(/\.js$/, ".d.ts"));

/** Where a name that this file exports, imports or declares is declared, if that is in the same package. */
function originOf(file: string, name: string): { file: string; name: string } | undefined {
  const { imported, exported, declared } = declarationsOf(file);
  if (declared.has(name)) return { file, name };
  const from = imported.get(name) ?? exported.get(name);
  if (!from) return undefined;
  if (from.module === undefined) return from.name === name ? undefined : originOf(file, from.name);
  return from.module.startsWith(".") ? originOf(fileOf(file, from.module), from.name) : undefined;
}

/** The packages that an entry point imports, each with the first file that imports it. */
function packagesReachedBy(entry: string): Map<string, string> {
  const reached = new Map<string, string>();
  const visited = new Set<string>();
  const visit = (file: string) => {
    if (visited.has(file)) return;
    visited.add(file);
    for (const module of declarationsOf(file).modules) {
      if (module.startsWith(".")) visit(fileOf(file, module));
      else if (!reached.has(module)) reached.set(module, file);
    }
  };
  visit(entry);
  return reached;
}

/** Entry points that export another package's types. An app that imports one has that package too. */
const isOfDrizzle = (entry: string) => entry === "./schema";

describe.each(packages)("the declarations of $name", ({ folder }) => {
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
    const exported = new Set(origins.map(key));
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
