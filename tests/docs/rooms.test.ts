import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = [
  "packages/countersign/src",
  "packages/inbox/src",
  "packages/local-engine/src",
  "apps/demo/src",
];
const copies: string[] = [];

afterEach(async () => {
  await Promise.all(copies.splice(0).map((copy) => rm(copy, { recursive: true })));
});

/** A copy of some folders of the repository, with the given files planted. */
async function copyWith(folders: readonly string[], planted: Record<string, string>): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "countersign-rooms-"));
  copies.push(copy);
  for (const folder of folders) await cp(join(root, folder), join(copy, folder), { recursive: true });
  for (const [path, text] of Object.entries(planted)) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await writeFile(join(copy, path), text);
  }
  return copy;
}

function run(args: readonly string[], cwd: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  return { passed: status === 0, output: stdout + stderr };
}

describe("check-rooms.mjs", () => {
  const check = async (planted: Record<string, string>) =>
    run([join(root, "scripts/check-rooms.mjs"), await copyWith(sources, planted)], root);

  it("accepts the imports of this repository", async () => {
    expect(await check({})).toEqual({ passed: true, output: "" });
  });

  it.each([
    [
      "a value",
      `import { createStore } from "../store/create-store.js";\nexport const planted = createStore;\n`,
    ],
    ["a type", `import type { Store } from "../store/store.js";\nexport type Planted = Store;\n`],
    [
      "types over several lines",
      `import type {\n  Store,\n} from "../store/store.js";\nexport type Planted = Store;\n`,
    ],
    ["a re-export", `export { type Store } from "../store/store.js";\n`],
    ["a dynamic import", `export const planted = () => import("../store/create-store.js");\n`],
    ["an inline type", `export type Planted = import("../store/store.js").Store;\n`],
  ])("refuses %s from a higher room", async (_kind, text) => {
    const { passed, output } = await check({ "packages/countersign/src/policy/planted.ts": text });
    expect(passed).toBe(false);
    expect(output).toMatch(
      /^packages\/countersign\/src\/policy\/planted\.ts: .*"store" is not below "policy"/,
    );
    expect(output).toContain("1 imports run against the order");
  });

  it("refuses an import between rooms on one line, and a room that is not in the order", async () => {
    const { passed, output } = await check({
      "packages/countersign/src/audit/planted.ts": `export type { Stop } from "../stops/stop.js";\n`,
      "packages/local-engine/src/utils/planted.ts": "export const planted = 1;\n",
    });
    expect(passed).toBe(false);
    expect(output).toContain('"stops" is not below "audit"');
    expect(output).toContain('the room "utils" has no place in the order');
  });

  it("refuses an import against the order inside a room", async () => {
    const { passed, output } = await check({
      "packages/countersign/src/store/audit/planted.ts": `export { claim } from "../approval/claim.js";\n`,
      "packages/countersign/src/agent-hook/run/planted.ts": `export { guard } from "../guarding/guard.js";\n`,
    });
    expect(passed).toBe(false);
    expect(output).toContain('"approval" is not below "audit"');
    expect(output).toContain('"guarding" is not below "run"');
  });

  it("has the same order of rooms as docs/architecture.md", async () => {
    const script = await readFile(join(root, "scripts/check-rooms.mjs"), "utf8");
    const documentation = await readFile(join(root, "docs/architecture.md"), "utf8");
    const orderOf = (folder: string) =>
      (script.split(`"packages/countersign/${folder}": \``)[1]?.split("`")[0] ?? "").trim().split(/\s+/);
    /** The names in the block of the page that begins with this one. */
    const documented = (first: string) =>
      `${first}${documentation.split(`\`\`\`\n${first}`)[1]?.split("```")[0]}`
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => line.split(/\/? /)[0]);
    expect(documented("bounded/")).toEqual(orderOf("src").map((room) => (room === "." ? "*.ts" : room)));
    // Files beside the folders are not listed.
    const folders = ["store", "agent-hook"].flatMap((room) =>
      orderOf(`src/${room}`)
        .filter((name) => !name.endsWith(".ts"))
        .map((name) => `${room}/${name}`),
    );
    expect(documented("store/ports/")).toEqual(folders);
  });
});

describe("Biome", () => {
  const lint = async (planted: Record<string, string>) => {
    const copy = await copyWith(["biome.json", "packages/countersign/src/policy"], planted);
    const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
    return run([biome, "lint", "--vcs-enabled=false", "--only=suspicious/noImportCycles", "packages"], copy);
  };
  const folder = "packages/countersign/src/policy";

  it("accepts the modules of policy/", async () => {
    expect((await lint({})).passed).toBe(true);
  });

  it("refuses a cycle of types", async () => {
    const { passed, output } = await lint({
      [`${folder}/planted.ts`]: `import type { Other } from "./rules/other.js";\nexport type Planted = Other[];\n`,
      [`${folder}/rules/other.ts`]: `import type { Planted } from "../planted.js";\nexport type Other = Planted | 1;\n`,
    });
    expect(passed).toBe(false);
    expect(output).toContain("lint/suspicious/noImportCycles");
    expect(output).toContain("planted.ts");
  });
});
