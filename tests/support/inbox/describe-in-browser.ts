import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { chromiumOptions, noChromium } from "../browser/chromium.mjs";
import type { Site } from "./site.js";
import { type VisitOptions, type Visitor, visit } from "./visitor.js";

if (noChromium !== undefined) console.warn(`NO BROWSER TEST RUNS: ${noChromium}`);

/** It does not pay to compile well what runs for seconds: this saves a fifth of the processor time. */
const shortLived =
  "--js-flags=--max-lazy,--no-opt,--no-maglev,--semi-space-growth-factor=4,--min-semi-space-size=16";

/** A browser whose pages live for seconds. */
export const launchForTests = (): Promise<Browser> =>
  chromium.launch({ ...chromiumOptions, args: [...chromiumOptions.args, shortLived] });

/** Opens the inbox of a site as somebody, in a context of their own. */
export type Visit = (site: Pick<Site, "url">, options?: VisitOptions) => Promise<Visitor>;

/** Describes tests that share one browser. Skipped if this machine has no Chromium. */
export function describeInBrowser(name: string, tests: (visit: Visit) => void): void {
  describe.skipIf(noChromium !== undefined)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchForTests();
    });
    afterAll(() => browser?.close());
    tests((site, options) => visit(browser, site, options));
  });
}
