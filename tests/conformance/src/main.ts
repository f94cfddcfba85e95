import { parseArgs } from "node:util";
import { openDesk } from "./desk.js";
import { serveDemo, serveLocalEngine } from "./processes.js";
import { describe, type Result, runScenario, summary } from "./run-scenarios.js";
import { scenarios } from "./scenarios.js";

const { values } = parseArgs({
  options: {
    engine: { type: "string" },
    demo: { type: "string" },
    only: { type: "string" },
    patience: { type: "string", default: "120" },
  },
});

const given = values.engine ?? (process.env.INNGEST_BASE_URL || undefined);
const patienceMs = Number(values.patience) * 1000;
if (!(patienceMs > 0)) throw new Error(`--patience ${values.patience}: must be a number of seconds`);
const wanted = scenarios.filter(({ name }) => values.only === undefined || name.includes(values.only));
if (wanted.length === 0) throw new Error(`No scenario's name has "${values.only}" in it`);

await using engine = given === undefined ? await serveLocalEngine() : null;
const engineUrl = given ?? engine?.url ?? "";
await using demo = values.demo === undefined ? await serveDemo(engineUrl) : null;
const desk = openDesk({
  engineUrl,
  demoUrl: values.demo ?? demo?.url ?? "",
  patienceMs,
  shortRefunds: demo !== null,
  ...(demo ? { restartDemo: () => demo.restart() } : {}),
});

console.log(`Server: ${given ?? "the local engine, in a process of its own"}`);
const results: Result[] = [];
for (const scenario of wanted) {
  const result = await runScenario(scenario, desk);
  results.push(result);
  console.log(describe(result));
}
console.log(summary(results));
process.exitCode = results.some(({ outcome }) => outcome === "failed") ? 1 : 0;
