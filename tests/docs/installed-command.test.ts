import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("npx countersign runs inside this repository after a build", () => {
  const { version } = JSON.parse(
    readFileSync(new URL("../../packages/countersign/package.json", import.meta.url), "utf8"),
  );
  const { status, stdout } = spawnSync("npx", ["--no-install", "countersign", "--version"], {
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  expect([status, stdout]).toEqual([0, `${version}\n`]);
});
