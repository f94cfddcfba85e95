import { existsSync } from "node:fs";

/** Where Debian puts them. The first has no window, and needs a fifth less processor time for the same tests. */
const installed = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

const candidates = process.env.CHROMIUM_PATH ? [process.env.CHROMIUM_PATH] : installed;
const executablePath = candidates.find((path) => existsSync(path));

/** Why no page can be opened on this machine; undefined where one can. */
export const noChromium =
  executablePath === undefined
    ? `there is no ${candidates.join(" and no ")}; set CHROMIUM_PATH to a Chromium or Chrome`
    : undefined;

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
