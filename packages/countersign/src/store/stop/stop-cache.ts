import type { Stop } from "../../stops/stop.js";

/** Maximum age in milliseconds of the stops that a process uses. */
export const stopCacheMs = 500;

/** Reads the engaged stops; calls `onBegin` when the query starts. */
export type ReadStops = (onBegin: () => void) => Promise<readonly Stop[]>;

export interface StopCache {
  /** The engaged stops of all tenants, at most {@link stopCacheMs} old. Rejects if they cannot be read. */
  engaged(): Promise<readonly Stop[]>;
  /** Makes the next caller read again, after this process has engaged or released a stop. */
  forget(): void;
}

interface Reading {
  /** When the query started; undefined while it waits for a connection. */
  begunAt: number | undefined;
  result: Promise<readonly Stop[]>;
}

/**
 * Shares one read among all callers for a moment, so that a call that needs no approval costs no query. A failed read
 * is not cached. Nothing runs between calls: there is no timer.
 *
 * @param now Milliseconds of a monotonic clock.
 */
export function createStopCache(read: ReadStops, now: () => number): StopCache {
  let last: Reading | undefined;

  const begin = (): Reading => {
    const reading: Reading = {
      begunAt: undefined,
      result: read(() => {
        reading.begunAt = now();
      }).catch((error: unknown) => {
        if (last === reading) last = undefined;
        throw error;
      }),
    };
    return reading;
  };

  return {
    engaged() {
      const isFresh = last && (last.begunAt === undefined || now() - last.begunAt < stopCacheMs);
      if (!last || !isFresh) last = begin();
      return last.result;
    },
    forget() {
      last = undefined;
    },
  };
}
