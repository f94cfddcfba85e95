// Generates docs/reference from the docstrings of every public entry point, as the built packages declare it.
//
//   npm run build && node docs/reference.mjs
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Application } from "typedoc";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** `countersign/hono` and its declarations, for each entry point in a package's `exports`. */
function entryPointsOf(folder) {
  const { name, exports } = JSON.parse(readFileSync(path(`../packages/${folder}/package.json`), "utf8"));
  return Object.entries(exports).flatMap(([subpath, { types }]) =>
    types ? [{ name: `${name}${subpath.slice(1)}`, file: path(`../packages/${folder}/${types}`) }] : [],
  );
}

const entryPoints = ["countersign", "inbox"].flatMap(entryPointsOf);
const out = path("reference");
const app = await Application.bootstrapWithPlugins({
  name: "Reference",
  entryPoints: entryPoints.map(({ file }) => file),
  tsconfig: path("tsconfig.json"),
  plugin: ["typedoc-plugin-markdown", "typedoc-vitepress-theme"],
  docsRoot: path("."),
  out,
  readme: "none",
  disableSources: true,
  // Types of the packages that an entry point uses and does not export have no page; their names are not links.
  validation: { notExported: false },
  externalSymbolLinkMappings: { countersign: { errorTable: "#" } },
  excludeExternals: true,
  hideBreadcrumbs: true,
  indexFormat: "table",
  sortEntryPoints: false,
  groupOrder: ["Functions", "Variables", "Classes", "Interfaces", "Type Aliases"],
});
const nameOf = new Map(entryPoints.map(({ name, file }) => [file, name]));
const found = app.getEntryPoints() ?? [];
for (const entry of found) entry.displayName = nameOf.get(entry.sourceFile.fileName) ?? entry.displayName;
const project = app.converter.convert(found);
app.validate(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
rmSync(out, { recursive: true, force: true });
await app.generateOutputs(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
