import { expect, it, vi } from "vitest";
import { Journal } from "../journal.js";
import { lostFromHistory } from "./engine-view.js";
import { inngestView } from "./inngest-view.js";
import { listen } from "./server.js";

it("inngestView() asks again about unfinished runs, and names a run that the engine does not know", async () => {
  const statuses = new Map([["a", "Running"]]);
  const asked: string[] = [];
  const server = await listen((request) => {
    const id = new URL(request.url).pathname.replace("/v1/runs/", "");
    if (id === "/v0/gql") return Response.json({ data: { run: { status: "RUNNING" } } });
    asked.push(id);
    const status = statuses.get(id);
    if (!status) return Response.json({ error: "Run not found" }, { status: 404 });
    // A run that has not ended has no output, not even null.
    const output = status === "Running" ? {} : { output: "done" };
    return Response.json({ data: { run_id: id, status, ...output } });
  });
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const journal = new Journal();
    journal.began(1, "a");
    journal.began(2, "b");
    const engine = inngestView(server.url, journal);
    expect(await engine.unfinished()).toEqual([
      { kind: "run", id: "a", status: "Running", detail: "of message 1" },
      { kind: "run", id: "b", status: "unknown to the engine", detail: "of message 2" },
    ]);
    statuses.set("a", "Completed").set("b", "Cancelled");
    expect(await engine.outlook()).toEqual({ queued: 2, next: undefined });
    vi.advanceTimersByTime(2001);
    expect(await engine.unfinished()).toEqual([]);
    expect(await engine.agentRuns()).toEqual([
      { id: "a", run: 1, status: "Completed", output: "done" },
      { id: "b", run: 2, status: "Cancelled", output: "done" },
    ]);
    vi.advanceTimersByTime(2001);
    await engine.agentRuns();
    expect(asked).toEqual(["a", "b", "a", "b"]);
  } finally {
    vi.useRealTimers();
    server.close();
  }
});

it("inngestView() does not wait for a run that the engine lost from its history", async () => {
  const server = await listen(() =>
    Response.json({ error: "Unable to load function run", data: null, status: 500 }),
  );
  try {
    const journal = new Journal();
    journal.began(1, "a");
    const engine = inngestView(server.url, journal);
    expect(await engine.unfinished()).toEqual([]);
    expect(await engine.agentRuns()).toEqual([{ id: "a", run: 1, status: lostFromHistory, output: null }]);
  } finally {
    server.close();
  }
});

it("inngestView() does not wait for a run whose end only its trace shows", async () => {
  const server = await listen((request) =>
    new URL(request.url).pathname === "/v0/gql"
      ? Response.json({ data: { run: { status: "COMPLETED" } } })
      : Response.json({ data: { run_id: "a", status: "Running" } }),
  );
  try {
    const journal = new Journal();
    journal.began(1, "a");
    const engine = inngestView(server.url, journal);
    expect(await engine.unfinished()).toEqual([]);
    expect(await engine.agentRuns()).toMatchObject([{ id: "a", status: lostFromHistory }]);
  } finally {
    server.close();
  }
});

it("inngestView() counts the runs that wait for a decision as queued", async () => {
  const slugs = ["app-orchestrator", "app-canary", "app-undo"];
  const edges = slugs.map((slug) => ({ node: { function: { slug } } }));
  const server = await listen(() => Response.json({ data: { runs: { edges } } }));
  try {
    const engine = inngestView(server.url, new Journal());
    expect(await engine.outlook()).toEqual({ queued: 2, next: undefined });
  } finally {
    server.close();
  }
});
