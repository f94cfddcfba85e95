import { parseDuration } from "./duration.js";

/** The source of time for the engine. `now()` returns milliseconds since the Unix epoch. */
export interface Clock {
  now(): number;
  /** Calls back when the clock jumps, so that due timers can be checked again. Returns a function that unsubscribes. */
  onChange?(listener: () => void | Promise<void>): () => void;
}

/** A clock whose time a test moves forward. */
export interface TestClock extends Clock {
  /**
   * Moves the time forward by milliseconds or a duration such as `"30m"`. Resolves when every engine on this clock has
   * checked what became due.
   */
  advance(duration: string | number): Promise<void>;
  onChange(listener: () => void | Promise<void>): () => void;
}

/** The machine's own time. */
export const systemClock: Clock = { now: () => Date.now() };

/**
 * Real time plus an offset that `advance` moves.
 *
 * @example
 * ```ts
 * import { createLocalEngine, createTestClock } from "@countersign/local-engine";
 *
 * const clock = createTestClock();
 * const engine = await createLocalEngine({ database: "memory", clock });
 * await engine.start();
 * await clock.advance("30m"); // a wait of 30 minutes times out now
 * ```
 */
export function createTestClock(): TestClock {
  let offset = 0;
  const listeners = new Set<() => void | Promise<void>>();
  return {
    now: () => Date.now() + offset,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async advance(duration) {
      offset += typeof duration === "number" ? duration : parseDuration(duration);
      await Promise.all([...listeners].map((listener) => listener()));
    },
  };
}
