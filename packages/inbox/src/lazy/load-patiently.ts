/** How long to wait before each further attempt, in milliseconds: a quarter of a minute in all. */
const pausesMs = [1_000, 2_000, 4_000, 8_000];

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Loads what nobody has asked for yet, so that a connection which is lost for a moment needs no message. */
export async function loadPatiently<T>(load: () => Promise<T>, wait = pause): Promise<T> {
  for (const ms of pausesMs) {
    try {
      return await load();
    } catch {
      await wait(ms);
    }
  }
  return load();
}
