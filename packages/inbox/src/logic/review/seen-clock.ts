/** Counts how long something has been on the screen. */
export interface SeenClock {
  /** Counts from now on, or pauses. */
  run: (running: boolean) => void;
  /** Milliseconds left until it counts as seen. */
  left: () => number;
}

/** A paused clock. `now` is the time in milliseconds from any start. */
export function createSeenClock(neededMs: number, now: () => number): SeenClock {
  let counted = 0;
  let since: number | undefined;
  const total = () => counted + (since === undefined ? 0 : now() - since);
  return {
    run(running) {
      counted = total();
      since = running ? now() : undefined;
    },
    left: () => Math.max(0, neededMs - total()),
  };
}
