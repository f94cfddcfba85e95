import type { Countersign } from "countersign";

const everyMs = 24 * 60 * 60 * 1000;
/** Age at which data is removed. The audit log is kept. */
const keptFor = "30d";

/**
 * Removes finished calls that are older than 30 days, now and once a day.
 *
 * @returns A function that stops it. It resolves when no removal is in progress.
 */
export function keepSmall(countersign: Pick<Countersign, "prune">): () => Promise<void> {
  const prune = () =>
    countersign.prune({ olderThan: keptFor, by: "demo" }).then(
      () => {},
      (error: unknown) => console.error("The demo could not remove old data:", error),
    );
  let pruning = prune();
  const timer = setInterval(() => {
    pruning = pruning.then(prune);
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await pruning;
  };
}
