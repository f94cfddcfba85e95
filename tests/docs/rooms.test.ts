import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publishedPackages } from "../../scripts/published-packages.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = [
  ...publishedPackages.map(({ folder }) => `packages/${basename(folder)}/src`),
  "apps/demo/src",
];
let copy = "";
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "countersign-rooms-"));
});
afterAll(() => rm(copy, { recursive: true }));

/** Plants files in a copy of some folders of the repository. */
async function plant(folders: readonly string[], planted: Record<string, string>): Promise<void> {
  for (const folder of folders) await cp(join(root, folder), join(copy, folder), { recursive: true });
  for (const [path, text] of Object.entries(planted)) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await writeFile(join(copy, path), text);
  }
}

/** Runs a script on the copy, and returns its exit code and what it printed. */
function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

/** Imports from a higher room, by their kind. */
const upwards = {
  value: `import { createStore } from "../store/create-store.js";\nexport const planted = createStore;\n`,
  type: `import type { Store } from "../store/store.js";\nexport type Planted = Store;\n`,
  lines: `import type {\n  Store,\n} from "../store/store.js";\nexport type Planted = Store;\n`,
  reexport: `export { type Store } from "../store/store.js";\n`,
  dynamic: `export const planted = () => import("../store/create-store.js");\n`,
  inline: `export type Planted = import("../store/store.js").Store;\n`,
};

/** Other imports that are refused, by their file, and what the check says about them. */
const others: Record<string, [text: string, problem: string]> = {
  "packages/countersign/src/audit/planted.ts": [
    `export type { Stop } from "../stops/stop.js";\n`,
    '"stops" is not below "audit"',
  ],
  "packages/local-engine/src/utils/planted.ts": [
    "export const planted = 1;\n",
    'the room "utils" has no place in the order',
  ],
  "packages/countersign/src/store/audit/planted.ts": [
    `export { claim } from "../approval/claim.js";\n`,
    '"approval" is not below "audit"',
  ],
  "packages/inbox/src/logic/planted.ts": [
    `export type { Store } from "../../../countersign/src/store/store.js";\n`,
    "which is outside of its package",
  ],
  "packages/countersign/src/call/run/planted.ts": [
    `export { propose } from "../judge/propose.js";\n`,
    '"judge" is not below "run"',
  ],
};

const inside = (folder: string) => ["../..", "packages/countersign", folder, "store/store.js"].join("/");
const unpromised = ["countersign", "internal"].join("/");
const noEntry = "which is no entry point of its package";
const noPromise = "which is without promise";

/** Imports that do not use a public entry point, in the same way. */
const pastDoors: typeof others = {
  "tests/limits/planted-value.ts": [`import { storeVerbs } from "${inside("src")}";\n`, noEntry],
  "tests/limits/planted-later.ts": [`export const planted = () => import("${inside("dist")}");\n`, noEntry],
  "tests/limits/planted-type.mjs": [
    `/** @type {import("${inside("dist")}").Store} */\nlet store;\n`,
    noEntry,
  ],
  "apps/demo/src/planted.ts": [`export { storeVerbs } from "${unpromised}";\n`, noPromise],
  "docs/guide/planted.md": [`\`\`\`ts\nimport { prune } from "${unpromised}";\n\`\`\`\n`, noPromise],
};

describe("check-rooms.mjs", () => {
  it("accepts the imports of this repository, and refuses those against the order or past the entry points", async () => {
    const files = Object.entries(upwards).map(([kind, text]): [string, string, string] => [
      `packages/countersign/src/previews/planted-${kind}.ts`,
      text,
      '"store" is not below "previews"',
    ]);
    for (const [path, [text, problem]] of Object.entries({ ...others, ...pastDoors }))
      files.push([path, text, problem]);
    const fine = { "tests/limits/fine.ts": `export { storeVerbs } from "${unpromised}";\n` };
    await plant(sources, { ...Object.fromEntries(files.map(([path, text]) => [path, text])), ...fine });
    const { status, output } = run(join(root, "scripts/check-rooms.mjs"), copy);
    expect(status).toBe(1);
    const [summary, , doors, , ...problems] = output.trimEnd().split("\n").reverse();
    const past = Object.keys(pastDoors).length;
    expect(summary).toContain(`${files.length - past} imports run against the order`);
    expect(doors).toContain(`${past} imports do not use a public entry point`);
    expect(problems.sort()).toEqual(
      files
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([path, , problem]) => expect.stringMatching(new RegExp(`^${path}: .*${problem}`))),
    );
  });

  it("has the same order of rooms as docs/architecture.md", async () => {
    const script = await readFile(join(root, "scripts/check-rooms.mjs"), "utf8");
    const documentation = await readFile(join(root, "docs/architecture.md"), "utf8");
    const orderOf = (folder: string) =>
      (script.split(`"packages/${folder}": \``)[1]?.split("`")[0] ?? "").trim().split(/\s+/);
    /** The names in the block of the page that begins with this one. */
    const documented = (first: string) =>
      `${first}${documentation.split(`\`\`\`\n${first}`)[1]?.split("```")[0]}`
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => line.split(/\/? /)[0]);
    const roomsOf = (name: string) => orderOf(`${name}/src`).map((room) => (room === "." ? "*.ts" : room));
    expect(documented("bounded/")).toEqual(roomsOf("policy"));
    expect(documented("previews/")).toEqual(roomsOf("countersign"));
    // Files beside the folders are not listed.
    const folders = ["store", "call", "agentkit", "ways"].flatMap((room) =>
      orderOf(`countersign/src/${room}`)
        .filter((name) => name !== "." && !name.endsWith(".ts"))
        .map((name) => `${room}/${name}`),
    );
    expect(documented("store/ports/")).toEqual(folders);
  });
});

it("Biome refuses a cycle of types", async () => {
  const folder = "packages/planted";
  await plant(["biome.json"], {
    [`${folder}/src/planted.ts`]: `import type { Other } from "./rules/other.js";\nexport type Planted = Other[];\n`,
    [`${folder}/src/rules/other.ts`]: `import type { Planted } from "../planted.js";\nexport type Other = Planted | 1;\n`,
    [`${folder}/src/user.ts`]: `import type { Planted } from "./planted.js";\nexport type User = Planted;\n`,
  });
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  const only = ["--vcs-enabled=false", "--only=suspicious/noImportCycles"];
  const { status, output } = run(biome, "lint", ...only, folder);
  expect(status).toBe(1);
  expect(output).toContain("lint/suspicious/noImportCycles");
  expect(output).toContain("planted.ts");
  expect(output).not.toContain("user.ts");
});
