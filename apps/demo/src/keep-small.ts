import type { PruneOptions } from "@countersign/cli/operating";

const everyMs = 24 * 60 * 60 * 1000;
/** Age at which data is removed. The audit log is kept. */
const keptFor = "30d";

/**
 * Lets `prune` remove finished calls that are older than 30 days, now and once a day.
 *
 * @returns A function that stops it. It resolves when no removal is in progress.
 */
export function keepSmall(prune: (options: PruneOptions) => Promise<unknown>): () => Promise<void> {
  const pruneOnce = () =>
    prune({ olderThan: keptFor, by: "demo" }).then(
      () => {},
      (error: unknown) => console.error("The demo could not remove old data:", error),
    );
  let pruning = pruneOnce();
  const timer = setInterval(() => {
    pruning = pruning.then(pruneOnce);
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await pruning;
  };
}
