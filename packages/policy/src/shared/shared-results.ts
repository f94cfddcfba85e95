/** Answers from results that were computed a moment ago, if there are any for the key. */
export type SharedResults<T> = (key: string, now: Date, compute: () => Promise<T>) => Promise<T>;

export interface SharedResultsOptions {
  /** Maximum age of a result, from the start of its computation. */
  maxAgeMs: number;
  /** Maximum number of results in memory. The oldest ones go first. */
  maxKept: number;
}

/** Shares one computation at a time among all callers of the same key, and its result for a while. Keeps no failure. */
export function createSharedResults<T>({ maxAgeMs, maxKept }: SharedResultsOptions): SharedResults<T> {
  const running = new Map<string, Promise<T>>();
  const kept = new Map<string, { since: number; result: T }>();

  const start = async (key: string, since: number, compute: () => Promise<T>): Promise<T> => {
    try {
      const result = await compute();
      kept.delete(key);
      kept.set(key, { since, result });
      const [oldest] = kept.keys();
      if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
      return result;
    } finally {
      running.delete(key);
    }
  };

  return async (key, now, compute) => {
    const time = now.getTime();
    for (const [known, { since }] of kept) {
      // A clock that was set back must not make a result last longer.
      if (time < since || time - since >= maxAgeMs) kept.delete(known);
    }
    const found = kept.get(key);
    if (found) return found.result;
    const computing = running.get(key) ?? start(key, time, compute);
    running.set(key, computing);
    return computing;
  };
}
