import { describe, expect, it } from "vitest";
import { keepRegistered } from "./keep-registered.js";

/** Runs `keepRegistered` with scripted results of `register` and `isKnown`, and stops it at the last one. */
async function runScript(script: { register: (string | undefined)[]; known: boolean[] }) {
  const stop = new AbortController();
  const lines: string[] = [];
  const pauses: number[] = [];
  const next = <T>(values: T[], last: T) => {
    if (script.register.length + script.known.length === 1) stop.abort();
    return values.length > 0 ? (values.shift() as T) : last;
  };
  await keepRegistered({
    engineName: "Inngest",
    register: async () => next(script.register, "nothing left in the script"),
    isKnown: async () => next(script.known, true),
    signal: stop.signal,
    log: (line) => lines.push(line),
    pause: async (ms) => pauses.push(ms),
  });
  return { lines, pauses };
}

describe("keepRegistered", () => {
  it("retries ever more rarely until the app is registered, and logs each change once", async () => {
    const gone = "does not answer";
    const { lines, pauses } = await runScript({
      register: [gone, gone, gone, gone, gone, gone, "refuses", gone, undefined],
      known: [true, true],
    });
    expect(lines).toEqual([
      "Inngest does not answer",
      "Inngest refuses",
      "Inngest does not answer",
      "Registered with Inngest",
    ]);
    expect(pauses).toEqual([1, 2, 4, 8, 15, 15, 15, 15, 30, 30, 30].map((s) => s * 1000));
  });

  it("registers again whenever the server does not know the app any more", async () => {
    const { lines } = await runScript({
      register: [undefined, undefined, "does not answer", undefined],
      known: [true, false, true, true, false, true, true],
    });
    expect(lines).toEqual([
      "Registered with Inngest",
      "Registered again with Inngest",
      "Inngest does not answer",
      "Registered again with Inngest",
    ]);
  });

  it("stops at once when its signal aborts", async () => {
    const stop = new AbortController();
    const kept = keepRegistered({
      engineName: "Inngest",
      register: async () => undefined,
      isKnown: async () => true,
      signal: stop.signal,
      log: () => stop.abort(),
    });
    await expect(kept).resolves.toBeUndefined();
  });
});
