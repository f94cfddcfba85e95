import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { chromiumOptions, noChromium } from "../browser/chromium.mjs";
import type { Site } from "./site.js";
import { type VisitOptions, type Visitor, visit } from "./visitor.js";

if (noChromium !== undefined) console.warn(`NO BROWSER TEST RUNS: ${noChromium}`);

/** Opens the inbox of a site as somebody, in a context of their own. */
export type Visit = (site: Pick<Site, "url">, options?: VisitOptions) => Promise<Visitor>;

/** Describes tests that share one browser. Skipped if this machine has no Chromium. */
export function describeInBrowser(name: string, tests: (visit: Visit) => void): void {
  describe.skipIf(noChromium !== undefined)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch(chromiumOptions);
    });
    afterAll(() => browser?.close());
    tests((site, options) => visit(browser, site, options));
  });
}
