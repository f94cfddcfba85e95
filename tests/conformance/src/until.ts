import { setTimeout as sleep } from "node:timers/promises";

/** Polls until `look` returns a value. Throws an error that names what it waited for when the patience is over. */
export async function until<T>(
  look: () => Promise<T | undefined>,
  { what, patienceMs, everyMs = 50 }: { what: string; patienceMs: number; everyMs?: number },
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`Waited ${patienceMs / 1000} s in vain: ${what}`);
    await sleep(everyMs);
  }
}
