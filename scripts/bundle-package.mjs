// Bundles the package in whose folder this runs: each of its entry points becomes one file in dist, and what several of them
// use becomes chunks beside them, so that each module exists once. What the package needs stays outside.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { rolldown } from "rolldown";

const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
const targets = Object.values(exports).flatMap((target) => target.default ?? []);
const sources = readdirSync("src", { recursive: true })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));

const bundle = await rolldown({
  input: Object.fromEntries(targets.flatMap(entriesOf)),
  external: (specifier) => !specifier.startsWith(".") && !isAbsolute(specifier),
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
 * With a pattern every module is an entry point, and would have a file of its own. Those that load the same packages, at once or
 * later, share a chunk instead: none of them loads a package that it does not need. Those that load none stay as they are, because
 * browsers load some of them, and what bundles them leaves out modules, not parts of a chunk.
 *
 * @returns {import("rolldown").OutputOptions["codeSplitting"]}
 */
function byPackagesLoaded() {
  const known = new Map();
  const loadedBy = (id, context) => {
    const { importedIds = [], dynamicallyImportedIds = [] } = context.getModuleInfo(id) ?? {};
    const packagesOf = (imported) =>
      existsSync(imported)
        ? reached(imported, context)
        : [imported.replaceAll(/[@:/]/g, "-").replace(/^-/, "")];
    const later = dynamicallyImportedIds
      .flatMap(packagesOf)
      .map((name) => name.replace(/^(later-)?/, "later-"));
    return [...new Set([...importedIds.flatMap(packagesOf), ...later])].sort();
  };
  const reached = (id, context) => {
    if (!known.has(id)) known.set(id, loadedBy(id, context));
    return known.get(id);
  };
  const name = (id, context) => shortName(reached(id, context).join("+"));
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: "packages loaded" }] };
}

/** Some file systems allow 143 characters. Without a name, there is no chunk. */
function shortName(name) {
  if (name.length <= 60) return name || undefined;
  return `${name.slice(0, 50)}-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
}

/** Removes what an earlier build wrote and this one did not. */
function removeOthers(written) {
  for (const file of readdirSync("dist", { recursive: true }))
    if (/\.js(\.map)?$/.test(file) && !written.has(file.replaceAll("\\", "/"))) rmSync(join("dist", file));
}
