import type { Page } from "playwright-core";
import { expect } from "vitest";

/** A script for a page: the clock that says how long a call was on the screen stands still, however slow the machine. */
export const stoppedClock = `{
  let now = performance.now();
  performance.now = () => now;
  globalThis.moveClock = (ms) => { now += ms; };
}`;

/** Moves the page's stopped clock forward. */
export async function moveClock(page: Page, ms: number): Promise<void> {
  await page.evaluate(`moveClock(${ms})`);
}

/**
 * Moves the clock until a key can decide the open approval. On a slow machine, the page begins to count a while after its
 * buttons have appeared, so one move may come too early.
 */
export async function moveClockUntilReady(page: Page): Promise<void> {
  const ready = async () => {
    await moveClock(page, 2000);
    return page.locator("article[data-ready]").count();
  };
  await expect.poll(ready).toBe(1);
}

/** A script for a page: the time of day that the page reads can be moved. */
export const movableDay = `{
  const now = Date.now;
  let moved = 0;
  Date.now = () => now() + moved;
  globalThis.moveDay = (ms) => { moved += ms; };
}`;

/** Moves the time of day that the page reads. */
export async function moveDay(page: Page, ms: number): Promise<void> {
  await page.evaluate(`moveDay(${ms})`);
}
