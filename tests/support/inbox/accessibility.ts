import axe, { type AxeResults, type RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/** The violations that axe finds on the page, in a few lines each: by all its rules, and of contrast in dark colours as well. */
export async function violations(page: Page, options: RunOptions = {}): Promise<string[]> {
  const found = await violationsOf(page, options);
  await page.emulateMedia({ colorScheme: "dark" });
  const inTheDark = await contrastViolations(page);
  await page.emulateMedia({ colorScheme: "light" });
  return [...found, ...inTheDark.map((violation) => `in dark colours: ${violation}`)];
}

/** Those of contrast alone, in the colours that the page has now. */
export const contrastViolations = (page: Page): Promise<string[]> =>
  violationsOf(page, { runOnly: ["color-contrast"] });

/** Those by all of axe's rules, in the colours that the page has now. */
export async function violationsOf(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate("globalThis.axe !== undefined"))) await page.evaluate(axe.source);
  // Colours must not be measured during a transition; one may begin at any time, with what the pointer is on.
  await page.evaluate(`{
    const still = new CSSStyleSheet();
    still.replaceSync("*, ::before, ::after { transition: none !important }");
    document.adoptedStyleSheets.push(still);
  }`);
  await page.evaluate(
    "Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))",
  );
  // To describe what passes would take as long as all the rules.
  const run = `axe.run(document, ${JSON.stringify({ resultTypes: ["violations"], ...options })})`;
  const found = (await page.evaluate(
    `${run}.then(({ violations }) => violations)`,
  )) as AxeResults["violations"];
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`),
  );
}
