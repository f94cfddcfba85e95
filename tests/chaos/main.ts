// `npm run chaos`: see docs/chaos.md.
import { chaos } from "./chaos.js";
import { readOptions, usage } from "./options.js";
import { describe, writeReport } from "./report.js";

process.exit(await main());

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === "help") {
    console.log(usage);
    return 0;
  }
  const report = await chaos(options, (line) => console.log(line));
  console.log(describe(report));
  writeReport(report, options.output);
  return report.passed ? 0 : 1;
}
