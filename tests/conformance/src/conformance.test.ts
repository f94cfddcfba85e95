import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listenOn } from "../../support/listen-on.js";
import { type Desk, openDesk } from "./desk.js";
import { type Served, serveDemo, serveLocalEngine } from "./processes.js";
import { describe as describeResult, runScenario } from "./run-scenarios.js";
import { scenarios } from "./scenarios.js";

/** The server to look at; without one, the local engine in a process of its own. */
const given = process.env.INNGEST_BASE_URL || undefined;

const minutes = 5 * 60_000;

describe(`the server ${given ?? "of this repository"}`, () => {
  const served: Served[] = [];
  let desk: Desk;
  beforeAll(async () => {
    const engineUrl = given ?? (served[served.push(await serveLocalEngine()) - 1]?.url as string);
    const demo = await serveDemo(engineUrl);
    served.push(demo);
    const options = { engineUrl, demoUrl: demo.url, patienceMs: minutes, shortRefunds: true };
    desk = openDesk({ ...options, restartDemo: () => demo.restart() });
  }, minutes);
  afterAll(async () => {
    for (const process of served.reverse()) await process[Symbol.asyncDispose]();
  });

  it.each(scenarios)("$name", { timeout: minutes }, async (scenario) => {
    const result = await runScenario(scenario, desk);
    expect(result.outcome, describeResult(result)).toBe("passed");
  });
});

describe("a server that takes events and starts nothing", () => {
  it("fails, and it is said what was expected of it", { timeout: minutes }, async () => {
    const idle = await listenOn(async () => Response.json({ ids: ["taken"], status: 200, data: [] }));
    await using demo = await serveDemo(idle.url);
    const desk = openDesk({ engineUrl: idle.url, demoUrl: demo.url, patienceMs: 100, shortRefunds: true });
    const [approve] = scenarios.filter(({ name }) => name === "approve");
    if (!approve) throw new Error("There is no such scenario");
    const result = await runScenario(approve, desk);
    expect(describeResult(result)).toMatch(
      /^FAIL {2}approve\n.*1 calls of the thread wait for people\n.*Expected of the server: it runs the agent's steps/,
    );
    idle.close();
  });
});
