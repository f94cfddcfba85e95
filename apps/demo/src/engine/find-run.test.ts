import { describe, expect, it } from "vitest";
import { findRun } from "./find-run.js";

/** An engine that lists the run in its third response and, like Inngest, caches responses by URL. */
function cachingEngine(status = 200) {
  const requests: URL[] = [];
  const cache = new Map<string, unknown>();
  const fetch = async (input: string | URL | Request) => {
    const url = new URL(String(input));
    requests.push(url);
    const data = requests.length < 3 ? [] : [{ run_id: "r1", status: "Running" }];
    if (!cache.has(url.href)) cache.set(url.href, { data });
    return Response.json(cache.get(url.href), { status });
  };
  return { requests, engine: { baseUrl: "http://engine:8288", fetch, signingKey: "key" } };
}

describe("findRun", () => {
  it("asks again at a new URL until the engine lists the run", async () => {
    const { requests, engine } = cachingEngine();
    expect(await findRun(engine, "e/1")).toBe("r1");
    expect(requests).toHaveLength(3);
    expect(requests[0]?.pathname).toBe("/v1/events/e%2F1/runs");
  });

  it("returns null without another request if the engine answers 401", async () => {
    const { requests, engine } = cachingEngine(401);
    expect(await findRun(engine, "e1")).toBe(null);
    expect(requests).toHaveLength(1);
  });
});
