import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { scaled } from "./support/brief.mjs";
import { median } from "./support/measure.mjs";

/**
 * What an application pays for Countersign before it does anything: the processor time of an `import` in a process of its own, the
 * entry points in turns; and what a bundler makes of a few imports, minified, without what is loaded at first use.
 */
const rounds = scaled(11, 1);
const agentKit = "@inngest/agent-kit";
/** Entry points, what they are compared with, and how often its time they may take at most. */
const entries = [
  { entry: "inngest" },
  { entry: agentKit },
  { entry: "@countersign/policy", beside: "inngest" },
  { entry: "countersign", beside: "inngest", most: 1.6 },
  { entry: "countersign/postgres", beside: "inngest" },
  { entry: "countersign/hono", beside: "inngest" },
  { entry: "countersign/agent-kit", beside: agentKit },
];
const bundles = [
  {
    names: "definePolicy, ask",
    code: 'export { ask, definePolicy } from "@countersign/policy";',
    mostKb: 350,
  },
  {
    names: "createCountersign, definePolicy, ask",
    code: 'export { ask, createCountersign, definePolicy } from "countersign";',
    mostKb: 900,
  },
];
const folder = fileURLToPath(new URL("../../apps/demo/", import.meta.url));
const atNode = ["--input-type=module", "-e"];

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* imports() {
  /** @type {Map<string, number[]>} */
  const times = new Map(entries.map(({ entry }) => [entry, []]));
  for (let round = 0; round < rounds; round++)
    for (const [entry, all] of times) all.push(processorTime(entry));
  const timeOf = (/** @type {string} */ entry) => median(times.get(entry) ?? []);
  for (const { entry } of entries) yield { name: `import of ${entry}`, value: timeOf(entry), unit: "ms" };
  for (const { entry, beside, most } of entries) {
    if (!beside) continue;
    const value = timeOf(entry) / timeOf(beside);
    yield {
      ...{ name: `import of ${entry}, by that of ${beside}`, value, unit: "×" },
      ...(most && { aim: `≤ ${most} ×`, met: value <= most }),
    };
  }
  for (const { names, code, mostKb } of bundles) {
    const value = (await bundled(code)) / 1000;
    yield { name: `bundle of ${names}`, value, unit: "kB", aim: `≤ ${mostKb} kB`, met: value <= mostKb };
  }
}

/** @param {string} entry */
function processorTime(entry) {
  const code = `await import(${JSON.stringify(entry)});
    const { user, system } = process.cpuUsage();
    console.log(JSON.stringify((user + system) / 1000));`;
  const empty = "const { user, system } = process.cpuUsage(); console.log((user + system) / 1000);";
  const run = (/** @type {string} */ text) =>
    Number(execFileSync(process.execPath, [...atNode, text], { cwd: folder }).toString());
  return run(code) - run(empty);
}

/** The bytes that are loaded at once. @param {string} code */
async function bundled(code) {
  const entry = "\0entry";
  const bundle = await rolldown({
    input: entry,
    cwd: folder,
    platform: "node",
    external: ["@electric-sql/pglite", "postgres"],
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? code : undefined),
      },
    ],
    onLog() {},
  });
  const { output } = await bundle.generate({ minify: true, comments: false });
  const files = new Map(output.map((file) => [file.fileName, file]));
  const atOnce = new Set(
    output.flatMap((file) => (file.type === "chunk" && file.isEntry ? file.fileName : [])),
  );
  for (const name of atOnce) {
    const file = files.get(name);
    for (const imported of (file?.type === "chunk" && file.imports) || [])
      if (files.has(imported)) atOnce.add(imported);
  }
  return [...atOnce].reduce((sum, name) => {
    const file = files.get(name);
    return sum + (file?.type === "chunk" ? Buffer.byteLength(file.code) : 0);
  }, 0);
}
