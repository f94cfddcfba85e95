// Takes a picture of every state of the inbox on every screen, and checks what can be checked without an eye. `npm run gallery`.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../test-results/gallery/", import.meta.url));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--project", "proofs", "tests/browser/gallery.test.ts"],
  { stdio: "inherit", env: { ...process.env, GALLERY: folder } },
);
console.log(`\nThe pictures are in ${folder}index.html`);
process.exitCode = status ?? 1;
