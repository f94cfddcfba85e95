import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** Whether tests in a browser can run on this machine. */
export const haveChromium = existsSync(executablePath);

if (!haveChromium) {
  console.warn(
    `NO BROWSER TEST RUNS: there is no ${executablePath}; set CHROMIUM_PATH to a Chromium or Chrome`,
  );
}

/** Chromium without a window, which calls nobody but the pages that a test opens. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
