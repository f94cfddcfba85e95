import { describe, expect, it } from "vitest";
import { findRun } from "./find-run.js";

/** An engine that lists the run in its third response and, like Inngest, caches responses by URL. */
function cachingEngine(status = 200) {
  const asked: URL[] = [];
  const cache = new Map<string, unknown>();
  const fetch = async (input: string | URL | Request) => {
    const url = new URL(String(input));
    asked.push(url);
    const data = asked.length < 3 ? [] : [{ run_id: "r1", status: "Running" }];
    if (!cache.has(url.href)) cache.set(url.href, { data });
    return Response.json(cache.get(url.href), { status });
  };
  return { asked, engine: { baseUrl: "http://engine:8288", fetch, signingKey: "key" } };
}

describe("findRun", () => {
  it("asks until the engine lists the run, each time at a new URL", async () => {
    const { asked, engine } = cachingEngine();
    expect(await findRun(engine, "e/1")).toBe("r1");
    expect(asked).toHaveLength(3);
    expect(asked[0]?.pathname).toBe("/v1/events/e%2F1/runs");
  });

  it("does not ask again where it may not look", async () => {
    const { asked, engine } = cachingEngine(401);
    expect(await findRun(engine, "e1")).toBe(null);
    expect(asked).toHaveLength(1);
  });
});
