import { freePort } from "../../support/http/free-port.mjs";
import { openDesk } from "./desk.js";
import { type Options, readOptions, usage } from "./options.js";
import { serveProbe } from "./probe/probe.js";
import { serveDemo, serveLocalEngine } from "./processes.js";
import { describe, type Result, runScenario, summary } from "./run-scenarios.js";
import { scenarios } from "./scenarios.js";

const options = readOptions(process.argv.slice(2), process.env);
if (options === "help") console.log(usage);
else if ("problem" in options) fail(options.problem);
else await look(options);

async function look({ engineUrl: given, demoUrl, only, patienceMs, host }: Options): Promise<void> {
  const wanted = scenarios.filter(({ name }) => only === undefined || name.includes(only));
  if (wanted.length === 0) return fail(`--only ${only}: no scenario's name contains this`);

  const ports = { demo: await freePort(), probe: await freePort() };
  await using engine = given === undefined ? await serveLocalEngine(ports) : null;
  const engineUrl = given ?? engine?.url ?? "";
  await using probe = await serveProbe({ engineUrl, patienceMs, host, port: ports.probe });
  await using demo = demoUrl === undefined ? await serveDemo(engineUrl, ports.demo) : null;
  const desk = openDesk({
    engineUrl,
    demoUrl: demoUrl ?? demo?.url ?? "",
    patienceMs,
    isOurs: demo !== null,
    probe,
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
}

function fail(problem: string): void {
  console.error(`${problem}\n\n${usage}`);
  process.exitCode = 2;
}
