import { afterAll, beforeAll, expect, it } from "vitest";
import { type Desk, openDesk } from "../conformance/src/desk.js";
import { serveProbe } from "../conformance/src/probe/probe.js";
import { serveLocalEngine } from "../conformance/src/processes.js";
import { describe as describeResult, runScenario } from "../conformance/src/run-scenarios.js";
import { scenarios } from "../conformance/src/scenarios.js";
import { freePort } from "../support/http/free-port.mjs";

// tests/conformance runs all scenarios, and runs them against a real server too.
const first = ["keys of an event", "keys of a step's output", "keys of an invoked run", "steps in parallel"];

const patienceMs = 60_000;
let desk: Desk;
const served: AsyncDisposable[] = [];

beforeAll(async () => {
  const ports = { demo: await freePort(), probe: await freePort() };
  const engine = await serveLocalEngine(ports);
  served.push(engine);
  const probe = await serveProbe({ engineUrl: engine.url, patienceMs, port: ports.probe });
  served.push(probe);
  const demoUrl = `http://127.0.0.1:${ports.demo}`;
  desk = openDesk({ engineUrl: engine.url, demoUrl, patienceMs, isOurs: true, probe });
});

afterAll(async () => {
  for (const each of served.reverse()) await each[Symbol.asyncDispose]();
});

it.each(first)("the local engine does to data and order what Inngest's server does: %s", async (name) => {
  const scenario = scenarios.find((each) => each.name === name);
  if (!scenario) return expect.unreachable(`there is no scenario ${name}`);
  const result = await runScenario(scenario, desk);
  expect(result.outcome, describeResult(result)).toBe("passed");
});
