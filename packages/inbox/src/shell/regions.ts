/** The parts of the page, and in each the element that gets the focus. */
const regions = [
  { part: ".cs-header", target: "a, button" },
  { part: ".cs-list-pane", target: '[data-row][tabindex="0"], input' },
  { part: ".cs-detail-body", target: "h1" },
  { part: ".cs-decision-bar", target: "button, a, input, textarea" },
] as const;

/** Moves the focus to the next part of the page that is there. */
export function focusNextRegion(): void {
  const present = regions.flatMap(({ part, target }) => {
    const element = document.querySelector(part);
    const first = element?.querySelector<HTMLElement>(target);
    return element && first && first.getClientRects().length > 0 ? [{ element, first }] : [];
  });
  const at = present.findIndex(({ element }) => element.contains(document.activeElement));
  present[(at + 1) % present.length]?.first.focus();
}

/** Moves the focus to the heading of the open call. */
export function focusCall(): void {
  document.querySelector<HTMLElement>(".cs-detail h1")?.focus();
}

/** The id of the button with the reader's name. */
export const personButtonId = "cs-person";

/** Moves the focus to the button with the reader's name. */
export function focusPerson(): void {
  document.getElementById(personButtonId)?.focus();
}
