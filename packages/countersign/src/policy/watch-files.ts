import { unwatchFile, watchFile } from "node:fs";

const pollEvery = 250;

/**
 * Calls `changed` within half a second of any change to one of the files, their coming and going included, and once
 * soon after the start for what changed while the watch was being set up. Keeps no process alive.
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
