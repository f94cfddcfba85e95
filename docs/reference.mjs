// Generates docs/reference from the docstrings of every public entry point, as the built packages declare it.
//
//   npm run build && node docs/reference.mjs
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Application } from "typedoc";
import { entryPoints } from "./.vitepress/repository-links.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

const out = path("reference");
const app = await Application.bootstrapWithPlugins({
  name: "Reference",
  entryPoints: entryPoints.map(({ declarations }) => declarations),
  tsconfig: path("tsconfig.json"),
  plugin: ["typedoc-plugin-markdown", "typedoc-vitepress-theme"],
  docsRoot: path("."),
  out,
  readme: "none",
  disableSources: true,
  // Types of the packages that an entry point uses and does not export have no page; their names are not links.
  validation: { notExported: false },
  externalSymbolLinkMappings: { "@countersign/policy": { errorTable: "#" } },
  excludeExternals: true,
  hideBreadcrumbs: true,
  indexFormat: "table",
  sortEntryPoints: false,
  groupOrder: ["Functions", "Variables", "Classes", "Interfaces", "Type Aliases"],
});
const nameOf = new Map(entryPoints.map(({ name, declarations }) => [declarations, name]));
const found = app.getEntryPoints() ?? [];
for (const entry of found) entry.displayName = nameOf.get(entry.sourceFile.fileName) ?? entry.displayName;
const project = app.converter.convert(found);
app.validate(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
rmSync(out, { recursive: true, force: true });
await app.generateOutputs(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
