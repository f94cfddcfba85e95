import { existsSync } from "node:fs";

const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** Why no page can be opened on this machine; undefined where one can. */
export const noChromium = existsSync(executablePath)
  ? undefined
  : `there is no ${executablePath}; set CHROMIUM_PATH to a Chromium or Chrome`;

/** Headless, without background requests of the browser's own. */
export const chromiumOptions = {
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
};

/** For a page: notes when the first row of the list has been painted, in milliseconds since the page was asked for. */
export const noteFirstRow = `
  const look = () => document.querySelector(".cs-row")
    ? requestAnimationFrame(() => { globalThis.firstRowAt = performance.now(); })
    : requestAnimationFrame(look);
  look();`;

/** For a page: when that was. */
export const firstRowAt = `new Promise((resolve) => {
  const look = () => globalThis.firstRowAt ? resolve(globalThis.firstRowAt) : requestAnimationFrame(look);
  look();
})`;
