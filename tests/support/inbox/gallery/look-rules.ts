import type { Page } from "playwright-core";

/**
 * What a reader would stumble over, by rules that need no eye: the page scrolls sideways, text is cut and there is no way to
 * read all of it, something that can be pressed lies below something else or is smaller than 24 px.
 *
 * Runs in the page, so it refers to nothing outside of itself.
 */
const findings = `(() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push("the page scrolls sideways");

  const name = (element) => {
    const text = (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().replace(/\\s+/g, " ");
    return element.tagName.toLowerCase() + "." + [...element.classList].join(".") + " “" + text.slice(0, 60) + "”";
  };
  const isShown = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    !element.closest(".cs-visually-hidden, [inert], [aria-hidden=true]");
  /** The part of an element that no ancestor cuts off, or nothing. */
  const seen = (element) => {
    let { left, top, right, bottom } = element.getBoundingClientRect();
    for (let at = element.parentElement; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflow === "visible") continue;
      const box = at.getBoundingClientRect();
      left = Math.max(left, box.left); top = Math.max(top, box.top);
      right = Math.min(right, box.right); bottom = Math.min(bottom, box.bottom);
    }
    left = Math.max(left, 0); top = Math.max(top, 0);
    right = Math.min(right, innerWidth); bottom = Math.min(bottom, innerHeight);
    return right - left > 4 && bottom - top > 4 ? { left, top, right, bottom } : undefined;
  };

  const canBeRead = (element) => {
    // A tooltip, or a place that opens and has it in full.
    if (element.closest("[title]")) return true;
    return element.closest("a[href], summary, [aria-expanded], textarea, input, select") !== null;
  };
  for (const element of document.body.querySelectorAll("*")) {
    if (!isShown(element) || !element.textContent?.trim()) continue;
    const style = getComputedStyle(element);
    const cutsX = ["hidden", "clip"].includes(style.overflowX) && element.scrollWidth > element.clientWidth + 1;
    const cutsY = ["hidden", "clip"].includes(style.overflowY) && element.scrollHeight > element.clientHeight + 1;
    if ((cutsX || cutsY) && seen(element) && !canBeRead(element)) found.push("cut, and not to be read: " + name(element));
  }

  // A text that something else lies on. The words of a page are in these elements.
  const dialogOf = () => document.querySelector("[role=dialog], [role=alertdialog], [role=menu]");
  for (const element of document.body.querySelectorAll("h1, h2, h3, dt, dd, td, th, p, label, strong, small")) {
    if (!isShown(element) || element.querySelector("input, textarea, select")) continue;
    if (dialogOf() && !dialogOf().contains(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(element);
    for (const box of range.getClientRects()) {
      const y = (box.top + box.bottom) / 2;
      const part = seen(element);
      if (!part || box.width < 8 || y < part.top || y > part.bottom) continue;
      for (const x of [box.left + 3, (box.left + box.right) / 2, box.right - 3]) {
        if (x < part.left || x > part.right) continue;
        const top = document.elementFromPoint(x, y);
        const isPassing = (at) => at && (["sticky", "fixed"].includes(getComputedStyle(at).position) || isPassing(at.parentElement));
        if (!top || element.contains(top) || top.contains(element) || isPassing(top)) continue;
        // The call scrolls below its decision.
        if (top.closest(".cs-decision-bar") && !element.closest(".cs-decision-bar")) continue;
        found.push("covered: " + name(element) + " by " + name(top));
        break;
      }
    }
  }

  const pressable = "a[href], button, input, select, textarea, summary, [role=button], [role=menuitem], [role=option], [role=radio], [role=tab], [role=switch]";
  for (const element of document.body.querySelectorAll(pressable)) {
    if (!isShown(element) || element.matches(":disabled")) continue;
    const part = seen(element);
    if (!part) continue;
    const box = element.getBoundingClientRect();
    const isInText = getComputedStyle(element).display === "inline" && element.parentElement.textContent.trim() !== element.textContent.trim();
    const label = element.labels?.[0]?.getBoundingClientRect();
    const size = Math.max(Math.min(box.width, box.height), label ? Math.min(label.width, label.height) : 0);
    if (!isInText && size < 24) found.push("smaller than 24 px: " + name(element) + " " + Math.round(box.width) + " × " + Math.round(box.height));
    // What scrolls may be half below the bar that stays; its middle must be free where all of it is in view.
    const sideways = element.closest("[data-scrolls-sideways], table");
    if (!sideways && part.right - part.left < box.width - 1) found.push("cut at its side: " + name(element));
    const isWhole = part.right - part.left >= box.width - 1 && part.bottom - part.top >= box.height - 1;
    if (!isWhole) continue;
    const top = document.elementFromPoint((part.left + part.right) / 2, (part.top + part.bottom) / 2);
    const isFree = top && (element.contains(top) || top.contains(element) || [...(element.labels ?? [])].some((one) => one.contains(top)));
    const dialog = document.querySelector("[role=dialog], [role=alertdialog], [role=menu]");
    const isPassing = (at) => at && (getComputedStyle(at).position === "sticky" || isPassing(at.parentElement));
    if (!isFree && (!dialog || dialog.contains(element)) && !isPassing(top)) {
      found.push("covered: " + name(element) + " by " + (top ? name(top) : "nothing"));
    }
  }
  return found;
})()`;

export async function lookFindings(page: Page): Promise<string[]> {
  return (await page.evaluate(findings)) as string[];
}
