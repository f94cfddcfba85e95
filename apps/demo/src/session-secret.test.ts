import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sessionSecret } from "./session-secret.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-secret-"));
});
afterAll(() => rm(folder, { recursive: true }));

it("the session secret is the same after a restart with the same folder", async () => {
  const dataDir = join(folder, "kept");
  const first = await sessionSecret(dataDir);
  expect(first).toHaveLength(32);
  expect(Buffer.from(await sessionSecret(dataDir))).toEqual(Buffer.from(first));
  expect(await readFile(join(dataDir, "session-secret"))).toEqual(Buffer.from(first));
});

it("the session secret is new for each start in memory, and replaces one that is too short", async () => {
  expect(await sessionSecret("memory://")).not.toEqual(await sessionSecret("memory://"));
  const dataDir = join(folder, "short");
  await sessionSecret(dataDir);
  await writeFile(join(dataDir, "session-secret"), "short");
  expect(await sessionSecret(dataDir)).toHaveLength(32);
});
