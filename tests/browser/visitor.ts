import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { Site } from "./site.js";

const folder = join(import.meta.dirname, "../../test-results/screenshots");

export interface VisitOptions extends BrowserContextOptions {
  /** Whose session the browser has; nobody's where left out. */
  as?: string;
  /** Where to begin, under the inbox. */
  path?: string;
  /** A script that runs in the page before any of its own. */
  before?: string;
  /** Errors in the console that belong to what is tested. */
  expected?: RegExp;
}

/**
 * Somebody with a browser of their own, at the site. A window that asks something, an exception in the page, or an
 * error in its console, such as a breach of the content security policy, fails the test when the browser is closed.
 */
export async function visit(
  browser: Browser,
  site: Pick<Site, "url">,
  { as, path = "", before, expected, ...options }: VisitOptions = {},
) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(60_000);
  if (as !== undefined) {
    const origin = new URL(site.url).origin;
    const signedIn = await context.request.post(`${origin}/api/session`, {
      data: { token: as },
      headers: { origin },
    });
    if (!signedIn.ok()) throw new Error(`${as} could not sign in: ${signedIn.status()}`);
  }
  if (before !== undefined) await context.addInitScript(before);
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
  await page.goto(`${site.url}${path}`);
  const visitor = {
    page,
    context,
    button: (name: string | RegExp) => page.getByRole("button", { name }),
    /** The sentences that wait, as they stand in the list. */
    rows: () => page.getByRole("list", { name: "What waits for a decision" }).getByRole("listitem"),
    /** Opens the approval whose sentence this is. */
    open: (sentence: string | RegExp) =>
      visitor.rows().filter({ hasText: sentence }).getByRole("link").click(),
    /** A heading of the open approval. */
    heading: (name: string | RegExp) => page.getByRole("heading", { name }),
    /** Keeps what the page looks like now, in `test-results/screenshots`. */
    async picture(name: string) {
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}.png`), caret: "initial" });
    },
    async [Symbol.asyncDispose]() {
      await context.close();
      if (problems.length > 0) throw new Error(`The page has complained:\n${problems.join("\n")}`);
    },
  };
  return visitor;
}

/** Whether the page is wider than its window. */
export function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
}
