import { setImmediate as nextTurn } from "node:timers/promises";

/** Milliseconds for which a long computation may keep the process busy. */
const busyMs = 5;

/** When a long computation last paused. Shared by all of them, so that many short loops pause as one long loop does. */
let pausedAt = Number.NEGATIVE_INFINITY;

/** Lets the process serve others, if a computation has kept it busy for some time. */
export async function pauseIfBusy(): Promise<void> {
  if (performance.now() - pausedAt < busyMs) return;
  await nextTurn();
  pausedAt = performance.now();
}

/** The items, with pauses in which the process serves others. For loops over many items whose work adds up. */
export async function* withPauses<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  for (const item of items) {
    await pauseIfBusy();
    yield item;
  }
}

/** `Array.prototype.flatMap` with pauses. */
export async function flatMapWithPauses<T, R>(
  items: Iterable<T>,
  map: (item: T) => R | readonly R[],
): Promise<R[]> {
  const mapped: R[] = [];
  for await (const item of withPauses(items)) mapped.push(...[item].flatMap(map));
  return mapped;
}
