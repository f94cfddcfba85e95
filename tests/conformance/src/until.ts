import { setTimeout as sleep } from "node:timers/promises";

/** Looks again and again until there is something; says what it waited for when its patience is over. */
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
