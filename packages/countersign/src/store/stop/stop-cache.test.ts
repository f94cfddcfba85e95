import { describe, expect, it } from "vitest";
import type { Stop } from "../../stops/stop.js";
import { createStopCache, type ReadStops, stopCacheMs } from "./stop-cache.js";

const stop = (id: string) => ({ id }) as Stop;

/** A cache whose reads a test answers by hand, and whose clock it moves. */
function openCache() {
  const clock = { now: 0 };
  const reads: { begin(): void; answer(stops: Stop[]): void; fail(): void }[] = [];
  const read: ReadStops = (onBegin) =>
    new Promise((resolve, reject) => {
      reads.push({
        begin: onBegin,
        answer: (stops) => {
          onBegin();
          resolve(stops);
        },
        fail: () => reject(new Error("gone")),
      });
    });
  return { clock, reads, cache: createStopCache(read, () => clock.now) };
}

describe("the cache of engaged stops", () => {
  it("shares one read among callers for half a second, then reads again", async () => {
    const { cache, clock, reads } = openCache();
    const first = [cache.engaged(), cache.engaged()];
    reads[0]?.answer([]);
    expect(await Promise.all(first)).toEqual([[], []]);
    clock.now = stopCacheMs - 1;
    expect(await cache.engaged()).toEqual([]);
    expect(reads).toHaveLength(1);
    clock.now = stopCacheMs;
    const later = cache.engaged();
    reads[1]?.answer([stop("a")]);
    expect(await later).toEqual([stop("a")]);
  });

  it("shares a read that still waits for a connection, but not one that began long ago", async () => {
    const { cache, clock, reads } = openCache();
    const waiting = cache.engaged();
    clock.now = 10 * stopCacheMs;
    const joined = cache.engaged();
    expect(reads).toHaveLength(1);
    reads[0]?.begin();
    clock.now += stopCacheMs;
    const own = cache.engaged();
    expect(reads).toHaveLength(2);
    reads[0]?.answer([]);
    reads[1]?.answer([stop("a")]);
    expect(await waiting).toEqual([]);
    expect(await joined).toEqual([]);
    expect(await own).toEqual([stop("a")]);
  });

  it("does not keep a failure", async () => {
    const { cache, reads } = openCache();
    const failing = cache.engaged();
    reads[0]?.fail();
    await expect(failing).rejects.toThrow("gone");
    const again = cache.engaged();
    reads[1]?.answer([stop("a")]);
    expect(await again).toEqual([stop("a")]);
  });

  it("reads again after this process changes a stop, whatever an earlier read returns", async () => {
    const { cache, reads } = openCache();
    const before = cache.engaged();
    cache.forget();
    const after = cache.engaged();
    reads[1]?.answer([stop("a")]);
    expect(await after).toEqual([stop("a")]);
    reads[0]?.fail();
    await expect(before).rejects.toThrow("gone");
    expect(await cache.engaged()).toEqual([stop("a")]);
    expect(reads).toHaveLength(2);
  });
});
