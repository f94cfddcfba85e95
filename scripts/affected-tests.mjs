import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { posix, relative, sep } from "node:path";

const { dirname, join } = posix;

/**
 * @typedef {{ name: string, folder: string, dependents: string[] }} Package A package or an app, with the names of those
 *   that depend on it.
 * @typedef {{ packages: Package[], code: Map<string, string>, tests: string[] }} Repository Its packages, its files of code
 *   with their texts, and its test files. Paths are relative to the root, with slashes.
 */

/** A file at the root runs everything, unless no test depends on it. */
const harmless = /^(\.ci\/|\.github\/|\.gitignore$|LICENSE$|biome\.json$|knip\.json$)/;
const besideRoot = /^(packages|apps|tests|docs|drizzle)\//;
/** What every run of the tests loads or starts. */
const everyRun = /^tests\/(package\.json$|support\/(run|postgres)\/)/;

const isTest = (path) => /\.test\.tsx?$/.test(path);
const isPage = (path) => path.endsWith(".md");
const runsEverything = (path) =>
  everyRun.test(path) || !(besideRoot.test(path) || harmless.test(path) || isPage(path));

/**
 * The tests that changed files may break: those of the packages that changed, those of packages that depend on these, and
 * those that lead to any of it by way of imports or of paths that they name.
 *
 * @param {readonly string[]} changed
 * @param {Repository} repository
 * @returns {{ tests: string[], packages: string[] }} `packages`: those that changed, and those that depend on them.
 */
export function affectedTests(changed, { packages, code, tests }) {
  const names = packages.map(({ name }) => name);
  if (changed.some(runsEverything)) return { tests, packages: names };
  const users = usersOf({ packages, code, tests });
  const affected = new Set(changed.flatMap((path) => placesOf(path, packages)));
  // A set visits what is added while it is visited. Nothing uses a test, but some name the folder of one that changed.
  for (const place of affected)
    for (const part of isTest(place) && !changed.includes(place) ? [] : withFolders(place))
      for (const user of users.get(part) ?? []) if (!affected.has(user)) affected.add(user);
  return {
    tests: tests.filter((test) => affected.has(test)),
    packages: names.filter((name) => affected.has(name)),
  };
}

/**
 * For each file, folder and package, the files and packages that use it.
 *
 * @param {Repository} repository
 */
function usersOf({ packages, code, tests }) {
  /** @type {Map<string, Set<string>>} */
  const users = new Map();
  const add = (used, user) => users.set(used, (users.get(used) ?? new Set()).add(user));
  for (const { name, folder, dependents } of packages) {
    for (const dependent of dependents) add(name, dependent);
    for (const test of tests) {
      // The tests of the documentation read the packages as a whole.
      if (test.startsWith(`${folder}/`) || test.startsWith("tests/docs/")) add(name, test);
    }
  }
  for (const test of tests) if (test.startsWith("tests/docs/")) add("docs", test);
  for (const [file, text] of code)
    if (isTest(file) || (/^(apps|tests)\//.test(file) && !packageOf(file, packages)))
      for (const used of usedBy(file, text, packages)) add(used, file);
  return users;
}

/** The files, folders and packages that a file imports or names, in whatever way: all that it has in quotes. */
function usedBy(file, text, packages) {
  return [...new Set(text.match(/(?<=["'`}])[\w@./-]+(?=["'`$*])/g))].flatMap((quoted) => {
    const imported = packages.find(({ name }) => quoted === name || quoted.startsWith(`${name}/`));
    if (imported) return [imported.name];
    if (!/[/.]/.test(quoted)) return [];
    const beside = join(dirname(file), quoted, ".");
    // A folder that the file is in is everything; who names one starts a program there.
    const paths = file.startsWith(`${beside}/`) ? [] : [beside];
    if (/^\w/.test(quoted)) paths.push(join(quoted, "."));
    return paths.flatMap((path) => [...sourcesOf(path), packageOf(path, packages)?.name ?? path]);
  });
}

/** An import names the file that TypeScript writes, or one that has its types aside. */
const sourcesOf = (path) => [
  path,
  path.replace(/\.js$/, ".ts"),
  path.replace(/\.js$/, ".tsx"),
  path.replace(/\.mjs$/, ".d.mts"),
];

const packageOf = (path, packages) => packages.find(({ folder }) => `${path}/`.startsWith(`${folder}/`));

/** What changes with a file: its package, the documentation, or nothing else. */
function placesOf(path, packages) {
  if (isTest(path)) return [path];
  if (isPage(path)) return [path, "docs"];
  const [top, name] = path.split("/");
  const within = packages.filter(
    ({ folder }) => path.startsWith(`${folder}/`) || (top === "drizzle" && folder.endsWith(`/${name}`)),
  );
  return [path, ...within.map((each) => each.name)];
}

/** A path, and the folders that it is in. */
const withFolders = (path) => path.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/"));

/**
 * The files that differ from the last commit that the base and this branch share: committed, uncommitted, new and deleted.
 *
 * @param {string} root
 * @param {string} base
 */
export function changedFiles(root, base) {
  const { stdout, status, stderr } = spawnSync("git", ["merge-base", base, "HEAD"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0)
    throw new Error(`No commit that ${base} and this branch share; is the clone shallow? ${stderr}`);
  const shared = stdout.trim();
  return [
    ...listed(root, "diff", "--name-only", "--no-renames", "-z", shared),
    ...listed(root, "ls-files", "--others", "--exclude-standard", "-z"),
  ];
}

/**
 * @param {string} root
 * @param {readonly string[]} projects of vitest.config.ts
 * @returns {Repository}
 */
export function readRepository(root, projects) {
  const files = listed(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z");
  const code = files.filter((file) => /\.[cm]?[jt]sx?$/.test(file) && existsSync(join(root, file)));
  return {
    packages: packagesIn(root),
    code: new Map(code.map((file) => [file, readFileSync(join(root, file), "utf8")])),
    tests: testsIn(root, projects),
  };
}

/** Turbo's graph. Without `tests`, which depends on all, but whose files are looked at one by one. */
function packagesIn(root) {
  const query = "query { packages { items { name path directDependents { items { name path } } } } }";
  const turbo = ["--env-file=turbo.env", "node_modules/turbo/bin/turbo", "query", query];
  const isPackage = ({ path }) => path !== "" && path !== "tests";
  return JSON.parse(run(root, process.execPath, ...turbo))
    .data.packages.items.filter(isPackage)
    .map(({ name, path, directDependents }) => ({
      name,
      folder: path,
      dependents: directDependents.items.filter(isPackage).map((dependent) => dependent.name),
    }));
}

function testsIn(root, projects) {
  const list = ["node_modules/vitest/vitest.mjs", "list", "--filesOnly", "--json"];
  const found = JSON.parse(
    run(root, process.execPath, ...list, ...projects.map((project) => `--project=${project}`)),
  );
  return found.map(({ file }) => relative(root, file).replaceAll(sep, "/")).sort();
}

const listed = (root, ...args) =>
  run(root, "git", ...args)
    .split("\0")
    .filter(Boolean);

function run(root, program, ...args) {
  return execFileSync(program, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
}
