import { unwatchFile, watchFile } from "node:fs";

const pollEvery = 250;

/**
 * Calls `changed` within half a second after a file changes, appears or disappears, and once shortly after the start
 * for changes during setup. Does not keep the process alive.
 */
export function watchFiles(files: readonly string[], changed: () => void): () => void {
  const listener = () => changed();
  for (const file of files) watchFile(file, { interval: pollEvery, persistent: false }, listener);
  const first = setTimeout(changed, 2 * pollEvery).unref();
  return () => {
    clearTimeout(first);
    for (const file of files) unwatchFile(file, listener);
  };
}
