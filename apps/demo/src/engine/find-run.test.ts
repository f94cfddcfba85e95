import { describe, expect, it } from "vitest";
import { findRun } from "./find-run.js";

describe("findRun", () => {
  it("asks until the engine knows the run", async () => {
    const asked: string[] = [];
    const run = await findRun(
      {
        baseUrl: "http://engine:8288",
        fetch: async (input) => {
          asked.push(String(input));
          return asked.length < 3
            ? Response.json({ data: [] })
            : Response.json({ data: [{ run_id: "r1", status: "Running" }] });
        },
      },
      "e/1",
    );
    expect(run).toBe("r1");
    expect(asked).toEqual(Array(3).fill("http://engine:8288/v1/events/e%2F1/runs"));
  });
});
