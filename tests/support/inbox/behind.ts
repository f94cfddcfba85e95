import type { Page } from "playwright-core";

const keys = [
  ..."abcdefghijklmnopqrstuvwxyz/?",
  "enter",
  "escape",
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `f${n}`),
];

/** Every key that a command of the inbox could have. */
export const commandKeys = keys.flatMap((key) => [key, `mod+${key}`]);

/** The dialogs and menus of the page, as the page says it. */
export const popups = '[role="dialog"], [role="alertdialog"], [role="menu"]';

/**
 * Presses keys on an element behind whatever covers the page, as if the focus had been lost. Returns those that
 * acted: a command prevents what the browser would do with its key.
 */
export async function keysActing(page: Page, keys: readonly string[], target: string) {
  return (await page.evaluate(`${JSON.stringify(keys)}.filter((name) => {
    const ctrlKey = name.startsWith("mod+");
    const key = name.replace("mod+", "");
    const event = new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true, cancelable: true });
    return !document.querySelector(${JSON.stringify(target)}).dispatchEvent(event);
  })`)) as string[];
}

/** Takes the roles of dialogs and menus away, so that only what they said to the page when they opened tells that they are there. */
export async function hideRoles(page: Page): Promise<void> {
  await page.evaluate(
    `for (const popup of document.querySelectorAll('${popups}')) popup.removeAttribute("role");`,
  );
}

/** What keys could change on the page. */
export async function stateOf(page: Page): Promise<unknown> {
  return page.evaluate(`({
    address: location.href,
    popups: document.querySelectorAll(".cs-dialog, .cs-menu, .cs-popover").length,
    forms: [...document.querySelectorAll("form")].map((form) => form.getAttribute("aria-label")),
    selected: document.querySelectorAll(".cs-row input:checked").length,
    focusIsBehind: document.activeElement.matches("h1, h1 *"),
    status: [...document.querySelectorAll(".cs-early")].map((early) => early.textContent),
  })`);
}
