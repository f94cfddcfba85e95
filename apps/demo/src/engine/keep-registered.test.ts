import { describe, expect, it } from "vitest";
import { keepRegistered } from "./keep-registered.js";

/** Plays a script of results: first those of registering, then those of checking. */
async function play(script: { register: (string | undefined)[]; known: boolean[] }) {
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
  it("tries until the app is registered, ever more rarely, and logs each problem once", async () => {
    const gone = "does not answer";
    const { lines, pauses } = await play({
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

  it("registers again whenever the server has lost the app", async () => {
    const { lines } = await play({
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

  it("stops at once when it is told to, also in a pause", async () => {
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
