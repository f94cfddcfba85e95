// Runs the benchmarks (all, or those whose names are given), prints a table and writes bench-results.json. With --brief,
// each runs for a moment, and only has to give its figures.
import { readdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { isBrief } from "./support/brief.mjs";

const here = new URL("./", import.meta.url);
const wanted = process.argv.slice(2).filter((name) => name !== "--brief");
const files = readdirSync(here)
  .filter((file) => file.endsWith(".bench.mjs"))
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.startsWith(name)))
  .sort();
if (files.length === 0) throw new Error(`No benchmark is called ${wanted.join(" or ")}`);

console.log(
  `Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? "unknown processor"}\n`,
);

/** @type {import("./support/measure.mjs").Result[]} */
const results = [];
for (const file of files) {
  const { default: bench, leftOutBecause } = await import(new URL(file, here).href);
  if (leftOutBecause !== undefined) {
    console.warn(`\n  LEFT OUT: ${file}, because ${leftOutBecause}\n`);
    continue;
  }
  const before = results.length;
  for await (const result of bench()) {
    if (!Number.isFinite(result.value)) throw new Error(`${file}: "${result.name}" is ${result.value}`);
    results.push(result);
    console.log(`  ${result.name}`);
  }
  if (results.length === before) throw new Error(`${file} gave no figures`);
  // After each, so that one that fails does not take the others' figures with it.
  if (!isBrief)
    writeFileSync(new URL("../../bench-results.json", here), `${JSON.stringify(results, null, 2)}\n`);
}

if (isBrief) {
  console.log(`\n${results.length} figures of ${files.length} benchmarks came out; they mean nothing`);
  process.exit();
}

console.log();
console.table(
  Object.fromEntries(
    results.map(({ name, value, unit, ratioTo, ratio, aim, met }) => [
      name,
      {
        value: `${Number(value.toPrecision(3))} ${unit}`,
        compared: ratio === undefined ? "" : `${Number(ratio.toPrecision(3))} × ${ratioTo}`,
        aim: aim ?? "",
        met: met === undefined ? "" : met ? "yes" : "NO",
      },
    ]),
  ),
);

const missed = results.filter(({ met }) => met === false);
console.log(
  missed.length === 0 ? "Every aim is met." : `Missed: ${missed.map(({ name }) => name).join("; ")}`,
);
