import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

/** The module remembers the last pause by the clock of one test. */
async function freshModule() {
  vi.resetModules();
  return import("./with-pauses.js");
}

describe("long computations", () => {
  let now = 0;
  let fresh: Awaited<ReturnType<typeof freshModule>>;
  beforeEach(async () => {
    fresh = await freshModule();
    now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Counts the turns of the event loop in which others are served, while 20 items take so many milliseconds each. */
  async function turnsDuring(msOfItem: number, loop: (work: () => void) => Promise<void>): Promise<number> {
    let turns = 0;
    let isOver = false;
    const serve = () => {
      turns += 1;
      if (!isOver) setImmediate(serve);
    };
    setImmediate(serve);
    await loop(() => {
      now += msOfItem;
    });
    isOver = true;
    return turns;
  }
  const items = Array.from({ length: 20 }, (_, index) => index);
  const oneLoop = async (work: () => void) => {
    for await (const _ of fresh.withPauses(items)) work();
  };

  it("serve others after each item that takes long", async () => {
    expect(await turnsDuring(5, oneLoop)).toBeGreaterThanOrEqual(20);
  });

  it("serve others after several items that take less", async () => {
    const turns = await turnsDuring(1, oneLoop);
    expect(turns).toBeGreaterThanOrEqual(4);
    expect(turns).toBeLessThanOrEqual(6);
  });

  it("serve others between short loops", async () => {
    const shortLoops = async (work: () => void) => {
      for (const item of items) await fresh.flatMapWithPauses([item], work);
    };
    expect(await turnsDuring(5, shortLoops)).toBeGreaterThanOrEqual(20);
  });

  it("map items to none, one or several", async () => {
    const { flatMapWithPauses } = fresh;
    const repeated = await flatMapWithPauses([0, 1, 2], (count) => Array<number>(count).fill(count));
    expect(repeated).toEqual([1, 2, 2]);
    expect(await flatMapWithPauses(["a", "b"], (text) => `${text}!`)).toEqual(["a!", "b!"]);
  });
});
