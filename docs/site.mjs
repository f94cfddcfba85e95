// The documentation as a site: `npm run docs` serves it, `npm run docs:build` writes it to docs/.vitepress/dist.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const docs = fileURLToPath(new URL(".", import.meta.url));
const installed = join(docs, "node_modules/.package-lock.json");
const [mode = "dev"] = process.argv.slice(2);

function run(command, args) {
  const { status } = spawnSync(command, args, {
    cwd: docs,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
}

if (
  !existsSync(installed) ||
  statSync(installed).mtimeMs < statSync(join(docs, "package-lock.json")).mtimeMs
) {
  console.log("Installing the site's own dependencies into docs/node_modules, once.");
  run("npm", ["ci", "--no-audit", "--no-fund"]);
}
run("node", ["reference.mjs"]);

// A dead link fails VitePress; its warnings fail the build here.
const child = spawn(process.execPath, [join(docs, "node_modules/vitepress/bin/vitepress.js"), mode, docs], {
  stdio: mode === "build" ? ["inherit", "pipe", "pipe"] : "inherit",
});
let warned = false;
for (const stream of [child.stdout, child.stderr]) {
  stream?.on("data", (text) => {
    process.stdout.write(text);
    warned ||= /\bwarn(ing)?\b|\(!\)/i.test(text);
  });
}
child.on("close", (status) => {
  if (warned) console.error("docs: the build printed a warning");
  process.exit(warned ? 1 : (status ?? 1));
});
