import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { publishedPackages } from "../../scripts/published-packages.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Everything that is made here lies below this folder, which has no `node_modules` above it. */
export const scratch = mkdtempSync(join(tmpdir(), "countersign-consumers-"));

/** @returns {Record<string, string>} The tarball of each package, by its name. */
export function packPackages() {
  const folder = join(scratch, "tarballs");
  mkdirSync(folder);
  const workspaces = publishedPackages.flatMap(({ name }) => ["--workspace", name]);
  const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", folder, ...workspaces], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return Object.fromEntries(
    Object.values(JSON.parse(packed)).map(({ name, filename }) => [
      name,
      join(folder, filename.replace("@", "").replace("/", "-")),
    ]),
  );
}

/**
 * Copies a project out of the repository, and installs it with the packed packages in the place of published ones.
 *
 * @param {string} template Its folder in the repository.
 * @param {Record<string, string>} tarballs
 * @returns {Promise<string>} The folder of the copy.
 */
export async function install(template, tarballs) {
  const folder = mkdtempSync(join(scratch, "app-"));
  cpSync(join(root, template), folder, {
    recursive: true,
    filter: (path) => !/(^|\/)(node_modules|\.next)$/.test(path.slice(root.length)),
  });
  const file = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  for (const [name, tarball] of Object.entries(tarballs)) {
    for (const dependencies of [manifest.dependencies, manifest.devDependencies]) {
      if (dependencies?.[name]) dependencies[name] = `file:${tarball}`;
    }
  }
  // One that is only needed by another package must come from here as well, and not from the registry.
  manifest.overrides = Object.fromEntries(
    Object.entries(tarballs)
      .filter(([name]) => !manifest.dependencies?.[name] && !manifest.devDependencies?.[name])
      .map(([name, tarball]) => [name, `file:${tarball}`]),
  );
  writeFileSync(file, JSON.stringify(manifest, null, 2));
  await run(folder, "npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"]);
  return folder;
}

/** What `npm run` hands on from this repository's settings, and an application of its own does not have. */
const settingsOfThisRepository = ["npm_config_engine_strict", "npm_config_loglevel"];
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !settingsOfThisRepository.includes(name)),
);

const execute = promisify(execFile);
/** More than any of the commands takes on a busy machine, and so little that the other consumers still get their turn. */
const timeout = 8 * 60_000;

/**
 * Runs a command to its end.
 *
 * @returns {Promise<string>} What it printed to its standard output.
 * @throws {Error} with all that it printed, if it fails or does not end in time.
 */
export async function run(cwd, command, args, env = {}) {
  try {
    const { stdout } = await execute(command, args, {
      cwd,
      env: { ...environment, ...env },
      maxBuffer: 64 * 1024 * 1024,
      timeout,
    });
    return stdout;
  } catch (error) {
    const end = error.killed ? " did not end in time" : "";
    throw new Error(`${command} ${args.join(" ")}${end}\n${error.stdout ?? ""}${error.stderr ?? ""}`, {
      cause: error,
    });
  }
}

/** They have errors in declarations of their own. Whatever else is found came with our packages. */
const ofOthers = /^(\.\.\/)*node_modules\/(@inngest\/agent-kit|inngest|ai|@ai-sdk)\//;

/**
 * Compiles a file of a project with every check of every declaration file that it reaches.
 *
 * @returns {Promise<string[]>} The errors, except those in declarations of others.
 */
export async function compileErrors(folder, file) {
  const flags = Object.entries({
    ...{ module: "nodenext", target: "es2022", lib: "es2023,dom,dom.iterable" },
    ...{ skipLibCheck: "false", types: "node" },
  }).flatMap(([name, value]) => [`--${name}`, value]);
  const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes"];
  const printed = await run(folder, "npx", ["tsc", ...strict, ...flags, file]).catch((error) =>
    String(error.message),
  );
  return printed.split("\n").filter((line) => /error TS\d+/.test(line) && !ofOthers.test(line));
}
