import { type Browser, chromium } from "playwright-core";
import { chromiumOptions, noChromium } from "../support/chromium.mjs";

/** Whether tests in a browser can run on this machine. */
export const haveChromium = noChromium === undefined;

if (!haveChromium) console.warn(`NO BROWSER TEST RUNS: ${noChromium}`);

export function openBrowser(): Promise<Browser> {
  return chromium.launch(chromiumOptions);
}
