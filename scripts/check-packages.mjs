// Packs each published package as npm would, and checks the tarball: what is in it, what it imports, how types resolve.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "rolldown/utils";
import { publishedPackages } from "./published-packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "countersign-pack-"));
const problems = [];

try {
  for (const { name, folder, manifest } of publishedPackages) {
    const problemsBefore = problems.length;
    checkPackage(folder, manifest, (problem) => problems.push(`${name}: ${problem}`));
    if (problems.length === problemsBefore) console.log(`${name}: the tarball is fine`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);

function checkPackage(folder, manifest, report) {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", work], folder));
  const tarball = join(work, packed.filename.replace("@", "").replace("/", "-"));
  const files = new Set(packed.files.map((file) => file.path));

  for (const path of exportedPaths(manifest.exports)) {
    if (path.includes("*") ? !isMatched(path, files) : !files.has(path))
      report(`"exports" names ${path}, which is not in the tarball`);
  }
  for (const file of files) {
    if (/\.(test|bench)\.|(^|\/)(fixtures|sdk-tests|conformance)\/|\.tsbuildinfo$/.test(file)) {
      report(`${file} is for tests or builds only, yet in the tarball`);
    }
  }
  for (const file of ["README.md", "LICENSE"]) {
    if (!files.has(file)) report(`${file} is not in the tarball`);
  }
  if (!manifest.keywords?.length) report(`package.json has no "keywords"`);
  const declared = new Set([
    manifest.name,
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
  ]);
  for (const file of files) {
    // The page is whole in itself.
    if (!/\.(js|d\.ts)$/.test(file) || file.startsWith("dist/page/")) continue;
    const text = readFileSync(join(folder, file), "utf8");
    const specifiers = file.endsWith(".js") ? importedBy(text) : importedByDeclarations(text);
    for (const imported of packagesOf(specifiers)) {
      if (!declared.has(imported))
        report(`${file} imports ${imported}, which an installation would not bring`);
    }
  }
  const untyped = Object.keys(manifest.exports)
    .filter((path) => path.endsWith(".css"))
    .flatMap((path) => ["--exclude-entrypoints", path]);
  lint("publint", ["run", tarball, "--strict"], report);
  lint("attw", [tarball, "--profile", "esm-only", "--no-emoji", "--no-definitely-typed", ...untyped], report);
}

function exportedPaths(value) {
  if (typeof value === "string") return [value.replace(/^\.\//, "")];
  return Object.values(value).flatMap(exportedPaths);
}

/** Whether a file of the tarball has a path that a pattern of `exports` stands for. */
function isMatched(pattern, files) {
  const [start, end] = pattern.split("*");
  return [...files].some((path) => path.startsWith(start) && path.endsWith(end));
}

/** A text in the code that looks like an import, such as one that `init` writes, is none. */
function importedBy(code) {
  const specifiers = [];
  const add = ({ source }) => {
    if (typeof source?.value === "string") specifiers.push(source.value);
  };
  new Visitor({
    ...{ ImportDeclaration: add, ExportNamedDeclaration: add, ExportAllDeclaration: add },
    ImportExpression: add,
  }).visit(parseSync("module.js", code).program);
  return specifiers;
}

function importedByDeclarations(source) {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "");
  return [...code.matchAll(/(?:from|import)\s*\(?\s*["']([^"']+)["']/g)].map(([, name]) => name);
}

function packagesOf(specifiers) {
  return specifiers
    .filter((name) => !name.startsWith(".") && !name.startsWith("node:") && !builtinModules.includes(name))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
}

function lint(tool, args, report) {
  const { status, stdout, stderr } = spawnSync(join(root, "node_modules", ".bin", tool), args, {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) report(`${tool} found problems\n${stdout}${stderr}`);
}

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed\n${stderr}`);
  return stdout;
}
