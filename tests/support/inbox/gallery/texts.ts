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

/** Words that are the same in English and German. */
const alike = new Set(["Filter", "Token", "System", "optional"]);

/** Names, without what the page puts between their words: "order id" for `orderId`. */
const bare = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, "");

/**
 * Whether a text is of no language: `data` is what the host, the model and people have written, as JSON, and `names` the
 * names of arguments in it.
 */
export function isOfNoLanguage(text: string, data: string, names: ReadonlySet<string>): boolean {
  const words = bare(text);
  if (alike.has(words) || bare(data).includes(words) || names.has(words)) return true;
  // Keys, units and times.
  return /^(?:\d|min|ms|h|EUR|Esc|F6|UTC)*$/.test(words);
}

/** The names of all fields of JSON, in lower case. */
export function namesIn(json: string): Set<string> {
  return new Set([...json.matchAll(/"(\w+)":/g)].map(([, name = ""]) => name.toLowerCase()));
}
