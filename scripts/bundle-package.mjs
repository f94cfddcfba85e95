// Bundles the package in whose folder this runs: each of its entry points becomes one file in dist, and what several of them
// use becomes chunks beside them, so that each module exists once. What the package needs stays outside.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { rolldown } from "rolldown";

const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
const targets = Object.values(exports).flatMap((target) => target.default ?? []);
const sources = readdirSync("src", { recursive: true })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));

/** A module of another package of ours. */
const internalModule = /^@countersign\/([\w-]+)\/internal\/(.+)$/;

/** Libraries that the package carries in its own files, with their licences beside them: what requires everything cannot load them. */
const carried = existsSync("licenses")
  ? readdirSync("licenses").map((file) => file.replace(/\.txt$/, ""))
  : [];

/** Libraries that take long to load, and that few programs need. */
const parsers = ["@marcbachmann/cel-js", "acorn", "yaml"];

const bundle = await rolldown({
  input: Object.fromEntries(targets.flatMap(entriesOf)),
  external: (specifier) =>
    !specifier.startsWith(".") &&
    !isAbsolute(specifier) &&
    !internalModule.test(specifier) &&
    !carried.includes(specifier),
  plugins: [
    {
      name: "internal modules of other packages",
      resolveId: (specifier) =>
        internalModule.test(specifier) ? { id: chunkOf(specifier) ?? specifier, external: true } : undefined,
    },
  ],
  // Browsers load some entry points.
  platform: "neutral",
  transform: { target: "es2022" },
  // The code stays as it is written, as do the names: people read it in stack traces.
  treeshake: false,
  // Chunks that groups make import names from entry points.
  ...(targets.some(isPattern) && { preserveEntrySignatures: "allow-extension" }),
  onLog(level, log, handle) {
    handle(level === "warn" ? "error" : level, log);
  },
});
const { output } = await bundle.write({
  dir: "dist",
  // Beside the entry points, so that paths to files of the package are the same from each.
  chunkFileNames: "chunk-[name].js",
  // For the tests of what is in which file. They are not packed, so the code does not name them.
  sourcemap: "hidden",
  sourcemapExcludeSources: true,
  keepNames: true,
  minify: false,
  minifyInternalExports: false,
  ...(targets.some(isPattern) && { codeSplitting: byPackagesLoaded() }),
});
removeOthers(new Set(output.map(({ fileName }) => fileName)));

/** The entry points that a target of `exports` stands for, with their sources. */
function entriesOf(target) {
  const path = target.replace(/^\.\/dist\//, "").replace(/\.js$/, "");
  const names = isPattern(path) ? sources.map((file) => file.replace(/\.ts$/, "")) : [path];
  return names.map((name) => [name, `src/${name}.ts`]);
}

function isPattern(target) {
  return target.includes("*");
}

/**
 * With a pattern every module is an entry point, and would have a file of its own. Those that load the same parsers share a chunk
 * instead, so that none loads a parser that it does not need; and those that load no package, not even later, share another, for browsers.
 *
 * @returns {import("rolldown").OutputOptions["codeSplitting"]}
 */
function byPackagesLoaded() {
  const known = new Map();
  const loadedBy = (id, context) => {
    const { importedIds = [], dynamicallyImportedIds = [] } = context.getModuleInfo(id) ?? {};
    const loaded = importedIds.flatMap((imported) => {
      if (existsSync(imported)) return reached(imported, context);
      return [parsers.find((parser) => imported.startsWith(parser)) ?? "packages"];
    });
    const later = dynamicallyImportedIds.length > 0 ? ["packages"] : [];
    return [...new Set([...loaded, ...later])].sort();
  };
  const reached = (id, context) => {
    if (!known.has(id)) known.set(id, loadedBy(id, context));
    return known.get(id);
  };
  const name = (id, context) =>
    reached(id, context)
      .map((loaded) => loaded.replaceAll(/\W+/g, "-").replace(/^-/, ""))
      .join("_") || "alone";
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: "packages loaded" }] };
}

/**
 * The chunk that a module of another package only passes on, which saves Node a file: each that it finds, reads and compiles
 * takes a millisecond.
 */
function chunkOf(specifier) {
  const [, name, module] = internalModule.exec(specifier);
  const text = readFileSync(join("..", name, "dist", `${module}.js`), "utf8");
  const passesOn = /^import \{ ([\w, ]+) \} from "[./]+\/(chunk-[^"]+)\.js";\s*export \{ ([\w, ]+) \};\s*$/;
  const [, imported, chunk, exported] = passesOn.exec(text) ?? [];
  return imported !== undefined && imported === exported
    ? `@countersign/${name}/internal/${chunk}`
    : undefined;
}

/** Removes what an earlier build wrote and this one did not. */
function removeOthers(written) {
  for (const file of readdirSync("dist", { recursive: true }))
    if (/\.js(\.map)?$/.test(file) && !written.has(file.replaceAll("\\", "/"))) rmSync(join("dist", file));
}
