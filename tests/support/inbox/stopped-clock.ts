import type { Page } from "playwright-core";
import { expect } from "vitest";

/**
 * For a page: what it waits for by itself, such as the time until a button can be pressed, comes ten times as soon. Shorter
 * times gather changes, and longer ones say how long something stays.
 */
const hurry = (before = "") => `
  const wait = globalThis.setTimeout;
  globalThis.setTimeout = (act, ms = 0, ...given) => {
    if (ms < 200 || ms >= 2000) return wait(act, ms, ...given);
    ${before}
    return wait(act, ms / 10, ...given);
  };`;

/** A script for a page that waits ten times shorter than for people, while its clock goes on by as much as it would have waited. */
export const quickClock = `{
  const now = performance.now.bind(performance);
  let ahead = 0;
  performance.now = () => now() + ahead;
  ${hurry(`
    const [due, then] = [performance.now() + ms, act];
    act = () => {
      ahead = Math.max(ahead, due - now());
      then(...given);
    };`)}
}`;

/** A script for a page that shall have its own clock. */
export const realClock = "";

/** A script for a page: the clock that says how long a call was on the screen stands still, however slow the machine. */
export const stoppedClock = `{
  let now = performance.now();
  performance.now = () => now;
  globalThis.moveClock = (ms) => { now += ms; };
  ${hurry()}
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
