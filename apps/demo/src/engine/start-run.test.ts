import { describe, expect, it } from "vitest";
import { EngineFailure } from "./engine-failure.js";
import { startRunWith } from "./start-run.js";

const event = { name: "demo/message.received", data: {} };
const address = {
  baseUrl: "http://engine:8288",
  fetch: async () => Response.json({ data: [{ run_id: "r1" }] }),
};

function starting(send: () => Promise<{ ids: string[] }>) {
  const lines: string[] = [];
  const start = startRunWith({
    inngest: { send },
    address,
    engineName: "Inngest",
    log: (line) => lines.push(line),
  });
  return { lines, start };
}

describe("startRunWith", () => {
  it("finds the run that the event starts", async () => {
    const { start } = starting(async () => ({ ids: ["e1"] }));
    expect(await start(event)).toBe("r1");
  });

  it.each([
    [
      "Inngest API Error: 401 Event key not found",
      "Inngest takes no events from this demo: set INNGEST_EVENT_KEY to one of its event keys.",
    ],
    [
      "Inngest API Error: 500 Internal server error",
      "Inngest did not take an event (Inngest API Error: 500 Internal server error).",
    ],
    ["fetch failed", "Inngest does not answer (fetch failed)."],
  ])("explains the error %j, and logs it once", async (message, reason) => {
    const { lines, start } = starting(async () => {
      throw new Error(message);
    });
    for (let i = 0; i < 2; i++) await expect(start(event)).rejects.toThrow(new EngineFailure(reason));
    expect(lines).toEqual([reason]);
  });
});
