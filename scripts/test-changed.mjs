// Runs the tests that the changes of this branch may break: all but the proofs.
//
//   npm run test:changed                since the branch left origin/main, or main; uncommitted changes count
//   npm run test:changed -- v0.1.0      since another commit
//   npm run test:changed -- --list      lists the files, and runs none
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { affectedTests, changedFiles, readRepository } from "./affected-tests.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { list: { type: "boolean", default: false } },
});
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const projects = [...`${scripts.test} ${scripts["test:rest"]}`.matchAll(/--project (\S+)/g)].map(
  ([, project]) => project,
);

const changed = changedFiles(root, positionals[0] ?? mainBranch());
const repository = readRepository(root, projects);
const { tests, packages } = affectedTests(changed, repository);
const reason = packages.length > 0 ? `, because of ${packages.join(", ")}` : "";
console.log(
  `${changed.length} changed files affect ${tests.length} of ${repository.tests.length} test files${reason}`,
);
if (values.list) for (const test of tests) console.log(test);
else if (tests.length > 0) process.exitCode = runTests();

function mainBranch() {
  const { status } = spawnSync("git", ["rev-parse", "--verify", "--quiet", "origin/main"], { cwd: root });
  return status === 0 ? "origin/main" : "main";
}

function runTests() {
  // Without files, Vitest runs all: their names would be too long for some shells.
  const files = tests.length < repository.tests.length ? tests : [];
  const args = ["run", ...projects.map((project) => `--project=${project}`), ...files];
  const vitest = `${root}node_modules/vitest/vitest.mjs`;
  return spawnSync(process.execPath, [vitest, ...args], { cwd: root, stdio: "inherit" }).status ?? 1;
}
