import type { Page } from "playwright-core";

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
