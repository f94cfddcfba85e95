import axe, { type AxeResults, type RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/** The violations that axe finds on the page, in a few lines each. */
export async function violations(page: Page, options: RunOptions = {}): Promise<string[]> {
  await page.evaluate(axe.source);
  // Colours must not be measured during a transition; one may begin at any time, with what the pointer is on.
  await page.evaluate(`{
    const still = new CSSStyleSheet();
    still.replaceSync("*, ::before, ::after { transition: none !important }");
    document.adoptedStyleSheets.push(still);
  }`);
  await page.evaluate(
    "Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))",
  );
  const run = `axe.run(document, ${JSON.stringify(options)})`;
  const { violations: found } = (await page.evaluate(run)) as AxeResults;
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`),
  );
}
