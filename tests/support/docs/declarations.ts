import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { publishedPackages } from "../../../scripts/published-packages.mjs";

/** The packages of this repository that users install. */
export const packages = publishedPackages;

const manifestSchema = z.object({
  exports: z.record(z.string(), z.union([z.string(), z.looseObject({ types: z.string().optional() })])),
});

/** A package's public entry points that have types, with their declaration files: all but the one without promise. */
export function entriesOf(folder: string): [entry: string, file: string][] {
  return Object.entries(exportsOf(folder)).flatMap(([entry, target]) =>
    typeof target === "object" && target.types && !entry.startsWith("./internal")
      ? [[entry, resolve(folder, target.types)] as const]
      : [],
  ) as [string, string][];
}

const exportsOf = (folder: string) =>
  manifestSchema.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).exports;

export interface Declarations {
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
export function declarationsOf(file: string): Declarations {
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

/** The declaration file of an imported module; undefined if that is not in this repository. */
export function fileOf(from: string, module: string): string | undefined {
  if (module.startsWith(".")) return resolve(dirname(from), module.replace(/\.js$/, ".d.ts"));
  const used = packages.find(({ name }) => module === name || module.startsWith(`${name}/`));
  if (!used) return undefined;
  const path = `.${module.slice(used.name.length)}`;
  const [pattern, target] =
    Object.entries(exportsOf(used.folder)).find(([entry]) => isEntry(entry, path)) ?? [];
  if (typeof target !== "object" || !target.types) throw new Error(`${module} is no entry point with types`);
  const [start = ""] = pattern?.split("*") ?? [];
  return resolve(used.folder, target.types.replace("*", path.slice(start.length)));
}

function isEntry(entry: string, path: string): boolean {
  const [start = "", end] = entry.split("*");
  return end === undefined ? entry === path : path.startsWith(start);
}

/** Where a name that this file exports, imports or declares is declared, if that is in this repository. */
export function originOf(file: string, name: string): { file: string; name: string } | undefined {
  const { imported, exported, declared } = declarationsOf(file);
  if (declared.has(name)) return { file, name };
  const from = imported.get(name) ?? exported.get(name);
  if (!from) return undefined;
  if (from.module === undefined) return from.name === name ? undefined : originOf(file, from.name);
  const next = fileOf(file, from.module);
  return next === undefined ? undefined : originOf(next, from.name);
}
