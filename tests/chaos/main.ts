// `npm run chaos`: see docs/chaos.md.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chaos } from "./chaos.js";
import { type ManyRuns, readOptions, usage } from "./options.js";
import { describe, type Report, writeReport } from "./report.js";

process.exit(await main());

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === "help") {
    console.log(usage);
    return 0;
  }
  if ("seeds" in options) return runMany(options);
  const report = await chaos(options, (line) => console.log(line));
  console.log(describe(report));
  writeReport(report, options.output);
  return report.passed ? 0 : 1;
}

/** Each run in a process of its own, and in the end a line about each. */
function runMany({ seeds, argv }: ManyRuns): number {
  const lines: string[] = [];
  let failed = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const output = `test-results/chaos-${seed}.json`;
    const run = [fileURLToPath(import.meta.url), "--seed", String(seed), "--output", output, ...argv];
    rmSync(output, { force: true });
    const { status, signal } = spawnSync(process.execPath, run, { stdio: "inherit" });
    if (signal) return 1;
    if (status !== 0) failed++;
    lines.push(
      `seed ${String(seed).padStart(3)}  ${status === 0 ? "passed" : "FAILED"}  ${summaryOf(output)}`,
    );
  }
  console.log(`\n${lines.join("\n")}\n\n${seeds - failed} of ${seeds} seeds passed`);
  return failed === 0 ? 0 : 1;
}

function summaryOf(file: string): string {
  try {
    const { counts, crashPoints, violations }: Report = JSON.parse(readFileSync(file, "utf8"));
    const crashes = Object.values(crashPoints).reduce((sum, times) => sum + times, 0);
    return `${counts["runs begun"] ?? 0} runs, ${counts["handlers started"] ?? 0} handlers started, ${crashes} deaths at crash points, ${violations.length} violations`;
  } catch {
    return "no report";
  }
}
