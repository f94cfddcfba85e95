import type { Page } from "playwright-core";

/** All texts of a page that people see or hear, names of elements included. Runs in the page. */
const texts = `(() => {
  const found = new Set();
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent && !parent.closest("script, style, noscript") && isShown(parent)) found.add(node.textContent);
  }
  for (const element of document.body.querySelectorAll("*")) {
    if (!isShown(element)) continue;
    for (const name of ["aria-label", "title", "placeholder", "aria-roledescription", "alt"]) {
      const value = element.getAttribute(name);
      if (value) found.add(value);
    }
  }
  found.add(document.title);
  return [...found].map((text) => text.trim().replace(/\\s+/g, " "));
})()`;

/** The texts of a page that have a word in them. */
export async function textsOf(page: Page): Promise<string[]> {
  const found = (await page.evaluate(texts)) as string[];
  return found.filter((text) => /\p{L}{2}/u.test(text));
}

/** What is written alike in English and German, or comes from the host, the model and the people. */
export function isOfNoLanguage(text: string, data: string): boolean {
  if (data.includes(text)) return true;
  // Keys, units, names of the people, addresses and times.
  return /^(?:[\d.,:/ –-]*(?:min|ms|h|EUR|Esc|F6|Ctrl K|J|K|UTC|GMT\S*)?)*$/.test(text);
}
