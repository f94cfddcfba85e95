// Publishes the packages with provenance, which npm only takes from a CI that it can verify. Tries everything without
// publishing unless it is called with --publish.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { publishedPackages } from "./published-packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const publishing = process.argv.includes("--publish");
const manifests = publishedPackages.map(({ manifest }) => manifest);

const problems = [];
const [version, ...others] = new Set(manifests.map((manifest) => manifest.version));
if (others.length > 0)
  problems.push(`package.json: the packages have different versions: ${[version, ...others].join(", ")}`);
const heading = new RegExp(`^## ${version.replaceAll(".", "\\.")} \\(\\d{4}-\\d{2}-\\d{2}\\)$`, "m");
if (!heading.test(readFileSync(`${root}/CHANGELOG.md`, "utf8"))) {
  problems.push(`CHANGELOG.md: has no heading "## ${version} (YYYY-MM-DD)"`);
}
const names = manifests.map(({ name }) => name);
for (const { name, repository, homepage, dependencies, peerDependencies } of manifests) {
  for (const [other, range] of Object.entries({ ...dependencies, ...peerDependencies }))
    if (names.includes(other) && range !== version)
      problems.push(`${name}: needs ${other} ${range}, which must be exactly ${version}`);
  if (!repository) problems.push(`${name}: package.json has no "repository", which provenance needs`);
  if (!homepage) problems.push(`${name}: package.json has no "homepage"`);
}
problems.push(...readdirSync(`${root}/drizzle`).flatMap(unsquashed));
const tag = process.env.GITHUB_REF_NAME;
if (publishing && tag !== `v${version}`) problems.push(`git: the tag is ${tag}, which must be v${version}`);
if (run("git", ["status", "--porcelain"]) !== "")
  problems.push("git: there are changes that are not committed");

for (const problem of problems) console.error(problem);
if (publishing && problems.length > 0) process.exit(1);

for (const { name, folder } of publishedPackages) {
  // An attempt that failed in the middle can be repeated.
  if (publishing && isPublished(name)) continue;
  const options = publishing ? ["--provenance"] : ["--dry-run"];
  execFileSync("npm", ["publish", "--access", "public", ...options], {
    cwd: folder,
    stdio: "inherit",
  });
}
process.exit(problems.length > 0 ? 1 : 0);

function isPublished(name) {
  return (
    spawnSync("npm", ["view", `${name}@${version}`, "version"], { encoding: "utf8" }).stdout.trim() !== ""
  );
}

/** A version brings one generated migration to a database, and each handwritten file once. */
function unsquashed(name) {
  const store = `${root}/packages/${name}/src/store`;
  const handwritten = existsSync(store) ? readdirSync(store).filter((file) => file.endsWith(".sql")) : [];
  const kinds = unreleased(`drizzle/${name}`).map((file) => {
    const written = handwritten.find((each) => file.endsWith(`_${each.replaceAll("-", "_")}`));
    return written ?? "generated";
  });
  const twice = [...new Set(kinds.filter((kind, index) => kinds.indexOf(kind) !== index))];
  return twice.map(
    (kind) =>
      `drizzle/${name}: several ${kind} migrations that no version has had; remove them and run npm run db:generate`,
  );
}

/** The migrations in a folder that the last released version does not have. */
function unreleased(folder) {
  const tag = spawnSync("git", ["describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^"], {
    cwd: root,
    encoding: "utf8",
  });
  const released =
    tag.status === 0
      ? run("git", ["ls-tree", "--name-only", tag.stdout.trim(), `${folder}/`]).split("\n")
      : [];
  return readdirSync(`${root}/${folder}`).filter(
    (file) => file.endsWith(".sql") && !released.includes(`${folder}/${file}`),
  );
}

function run(command, args) {
  return execFileSync(command, args, { cwd: root, encoding: "utf8" }).trim();
}
