import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../support/http/free-port.mjs";
import { listenOn } from "../../support/http/listen-on.js";
import { type Desk, openDesk } from "./desk.js";
import { readOptions } from "./options.js";
import { serveProbe } from "./probe/probe.js";
import { serveDemo, serveLocalEngine } from "./processes.js";
import { describe as describeResult, runScenario } from "./run-scenarios.js";
import { scenarios } from "./scenarios.js";

/** The server under test; without one, the local engine in a process of its own. */
const given = process.env.INNGEST_BASE_URL || undefined;

const minutes = 5 * 60_000;

describe(`the server ${given ?? "of this repository"}`, () => {
  const served: AsyncDisposable[] = [];
  let desk: Desk;
  beforeAll(async () => {
    const ports = { demo: await freePort(), probe: await freePort() };
    const serve = async <T extends AsyncDisposable>(starting: Promise<T>): Promise<T> => {
      const started = await starting;
      served.push(started);
      return started;
    };
    const engineUrl = given ?? (await serve(serveLocalEngine(ports))).url;
    const probe = await serve(serveProbe({ engineUrl, patienceMs: minutes, port: ports.probe }));
    const demo = await serve(serveDemo(engineUrl, ports.demo));
    const options = { engineUrl, demoUrl: demo.url, patienceMs: minutes, isOurs: true, probe };
    desk = openDesk({ ...options, restartDemo: () => demo.restart() });
  }, minutes);
  afterAll(async () => {
    for (const process of served.reverse()) await process[Symbol.asyncDispose]();
  });

  it.each(scenarios)("passes the scenario: $name", { timeout: minutes }, async (scenario) => {
    const result = await runScenario(scenario, desk);
    expect(result.outcome, describeResult(result)).toBe("passed");
  });
});

describe("a server that accepts events and starts no runs", () => {
  it("fails, and the result says what was expected of it", { timeout: minutes }, async () => {
    const idle = await listenOn(async () => Response.json({ ids: ["taken"], status: 200, data: [] }));
    await using demo = await serveDemo(idle.url);
    const desk = openDesk({ engineUrl: idle.url, demoUrl: demo.url, patienceMs: 100, isOurs: true });
    const [approve] = scenarios.filter(({ name }) => name === "approve");
    if (!approve) throw new Error("There is no such scenario");
    const result = await runScenario(approve, desk);
    expect(describeResult(result)).toMatch(
      /^FAIL {2}approve\n.*1 calls of the thread wait for people\n.*Expected of the server: it runs the agent's steps/,
    );
    idle.close();
  });
});

describe("a fault of the demo or of this program", () => {
  const play = async (answer: (path: string) => Response, name: string) => {
    const { url, close } = await listenOn(async (request) => answer(new URL(request.url).pathname));
    const desk = openDesk({ engineUrl: url, demoUrl: url, patienceMs: 100, isOurs: true });
    const scenario = scenarios.find((candidate) => candidate.name === name);
    if (!scenario) throw new Error("There is no such scenario");
    const result = await runScenario(scenario, desk);
    close();
    return describeResult(result);
  };

  it("fails the scenario without blaming the server", async () => {
    expect(await play(() => Response.json({ code: "internal" }, { status: 500 }), "approve")).toMatch(
      /^FAIL {2}approve\n +The demo answered \/chat with 500.*\n +This says nothing about the server\.$/,
    );
  });

  it("that lets a call expire early fits the scenario expiry, and fails approve without blaming the server", async () => {
    const call = { id: "1", requestId: "r", threadId: "t", toolName: "issue_refund", digest: "d", input: {} };
    const answers: Record<string, unknown> = {
      "/api/chat": { threadId: "t", runId: null },
      "/api/approvals": { items: [{ ...call, status: "expired" }] },
      "/api/approvals/1": { ...call, status: "expired" },
      "/api/threads/t": { status: "done", messages: [{ role: "assistant", content: "It expired" }] },
      "/api/demo/effects": { items: [] },
    };
    const answer = (path: string) => Response.json(answers[path]);
    expect(await play(answer, "expiry")).toMatch(/^ok /);
    expect(await play(answer, "approve")).toMatch(
      /expired before this program saw it wait\n.*nothing about the server/,
    );
  });
});

describe("docs/supported-versions.md", () => {
  it("lists every scenario, in order", () => {
    const page = readFileSync(new URL("../../../docs/supported-versions.md", import.meta.url), "utf8");
    const [, chapter = ""] = page.split("\n## Inngest servers\n");
    const rows = [...chapter.matchAll(/^\| ([a-z].*?) +\| [^|]+\|$/gm)].map(([, name]) =>
      name?.replaceAll("\\", ""),
    );
    expect(rows.filter((name) => name !== "scenario")).toEqual(scenarios.map(({ name }) => name));
  });
});

describe("readOptions()", () => {
  it("reads the command line and the environment", () => {
    expect(readOptions([], {})).toEqual({ patienceMs: 120_000, host: "127.0.0.1" });
    const given = ["--engine", "http://a:1", "--demo", "http://b", "--only", "x", "--patience", "2.5"];
    expect(readOptions(given, { INNGEST_BASE_URL: "http://c" })).toEqual({
      engineUrl: "http://a:1",
      demoUrl: "http://b",
      only: "x",
      patienceMs: 2500,
      host: "127.0.0.1",
    });
    expect(readOptions(["--help"], {})).toBe("help");
  });

  it.each([
    [["--nonsense"], "--nonsense"],
    [["surplus"], "surplus"],
    [["--patience", "soon"], "--patience soon"],
    [["--engine"], "--engine"],
    [["--engine", "inngest:8288"], "--engine inngest:8288"],
    [["--demo", "http://127.0.0.1:3000"], "--demo needs --engine"],
  ])("describes the problem with %j", (args, words) => {
    expect(readOptions(args, {})).toEqual({ problem: expect.stringContaining(words) });
  });
});
