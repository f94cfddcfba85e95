import { setTimeout as pause } from "node:timers/promises";

const patienceMs = 30_000;
const intervalMs = 10;

/** Looks again and again until there is something; says what it waited for when its patience ends. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`Waited ${patienceMs / 1000} s in vain until ${what}`);
    await pause(intervalMs);
  }
}
