import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page, Request } from "playwright-core";
import { eventually } from "../harness.js";
import { delayAnswers } from "./hold-back.js";
import type { Site } from "./site.js";
import { quickClock } from "./stopped-clock.js";

const folder = join(import.meta.dirname, "../../../test-results/screenshots");

export interface VisitOptions extends BrowserContextOptions {
  /** The principal who is signed in. @default nobody */
  as?: string;
  /** The first address, relative to the inbox. */
  path?: string;
  /** A script that runs before the page's own. @default `quickClock` */
  before?: string;
  /** Console errors that the test expects. */
  expected?: RegExp;
  /** Each answer of the API comes late, and this sees the page before. @default none does */
  late?: (page: Page) => Promise<void>;
}

/**
 * Opens the inbox of a site in a new browser context. A dialog window, an exception in the page, or an unexpected error
 * in its console, such as a violation of the content security policy, fails the test when the context is closed.
 */
export async function visit(
  browser: Browser,
  site: Pick<Site, "url">,
  { as, path = "", before = quickClock, expected, late, ...options }: VisitOptions = {},
) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(180_000);
  if (as !== undefined) {
    const origin = new URL(site.url).origin;
    const signedIn = await context.request.post(`${origin}/api/session`, {
      data: { token: as },
      headers: { origin },
    });
    if (!signedIn.ok()) throw new Error(`${as} could not sign in: ${signedIn.status()}`);
  }
  await context.addInitScript(before);
  const page = await context.newPage();
  const problems: string[] = [];
  const note = (problem: string) => {
    if (!expected?.test(problem)) problems.push(problem);
  };
  page.on("console", (message) => {
    if (message.type() === "error") note(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => note(String(error)));
  page.on("dialog", (dialog) => {
    note(`A dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const requests = new Set<Request>();
  page.on("request", (request) => {
    // The stream of changes stays open.
    if (!/\/events(?:\?|$)/.test(request.url())) requests.add(request);
  });
  page.on("requestfinished", (request) => requests.delete(request));
  page.on("requestfailed", (request) => requests.delete(request));
  if (late) await delayAnswers(page, () => late(page));
  await page.goto(`${site.url}${path}`);
  const visitor = {
    page,
    context,
    button: (name: string | RegExp) => page.getByRole("button", { name }),
    /** The calls of the first list. */
    rows: () =>
      page
        .getByRole("list", { name: "For you" })
        .getByRole("listitem")
        .filter({ has: page.locator("a[data-row]") }),
    /** Opens the approval with this summary. */
    open: (sentence: string | RegExp) =>
      visitor.rows().filter({ hasText: sentence }).getByRole("link").click(),
    /** Opens a page of the header's menu. */
    async openMore(name: string) {
      await visitor.button(/^More/).click();
      await page.getByRole("menuitem", { name }).click();
    },
    /** Waits until a key can decide the open approval. */
    ready: () => page.locator("article[data-ready]").waitFor(),
    /** Waits until the page has all that it asked for, lazy parts included, and shows it. */
    async settled() {
      let quiet = 0;
      while (quiet < 3) {
        await eventually(() => requests.size === 0 || undefined, "all answers to the page");
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done)))");
        quiet = requests.size === 0 ? quiet + 1 : 0;
      }
    },
    /** A heading of the open approval. */
    heading: (name: string | RegExp) => page.getByRole("heading", { name }),
    /** Saves a screenshot in `test-results/screenshots`, for who asks for them with `SCREENSHOTS=yes`. */
    async picture(name: string) {
      if (!process.env.SCREENSHOTS) return;
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}.png`), caret: "initial" });
    },
    async [Symbol.asyncDispose]() {
      await context.close();
      if (problems.length > 0) throw new Error(`The page reported errors:\n${problems.join("\n")}`);
    },
  };
  return visitor;
}

export type Visitor = Awaited<ReturnType<typeof visit>>;

/** Whether the page scrolls horizontally. */
export function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
}

/** Whether it would on a phone. The window is as it was afterwards. */
export async function scrollsSidewaysOnPhone(page: Page): Promise<boolean> {
  const window = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  const scrolls = await scrollsSideways(page);
  if (window) await page.setViewportSize(window);
  return scrolls;
}
