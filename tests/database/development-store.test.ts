import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

const app = fileURLToPath(new URL("../support/development/app.mjs", import.meta.url));
const children: ChildProcess[] = [];
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-development-"));
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the app in the folder, and waits for its last word. */
async function start(threadId?: string, environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [app, ...(threadId === undefined ? [] : [threadId])], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  children.push(child);
  let output = "";
  child.stderr.on("data", (chunk) => (output += chunk));
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (/^(opened|failed) .*\.\n$/m.test(output)) break;
  }
  return { child, output };
}

it("an app in development needs no store: it migrates itself, keeps its data, and belongs to one process", async () => {
  const first = await start();
  expect(first.output).toContain("No store: the data is in .countersign.");
  const threadId = first.output.match(/opened (\S+)\./)?.[1];
  expect(threadId).toBeDefined();
  expect(readFileSync(join(folder, ".countersign", ".gitignore"), "utf8")).toBe("*\n");

  const second = await start(threadId);
  expect(second.output).toMatch(/failed store: is missing, and the process \d+ has the database .* open/);

  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  expect((await start(threadId)).output).toContain(`opened ${threadId}.`);
});

it("in production, it needs one", async () => {
  const { child, output } = await start(undefined, { NODE_ENV: "production" });
  if (child.exitCode === null) await once(child, "exit");
  expect([child.exitCode, output]).toEqual([1, expect.stringContaining("store: is missing; in production")]);
});
