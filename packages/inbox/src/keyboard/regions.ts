/** The parts of the page, and what gets the focus in each: the first of these that is there. */
const regions = [
  { part: ".cs-header", targets: ["a, button"] },
  { part: ".cs-list-pane", targets: ['[data-row][tabindex="0"], input'] },
  { part: ".cs-detail-body", targets: [".cs-title"] },
  { part: ".cs-decision-bar", targets: ['[data-tone="primary"]', "button, a, input, textarea"] },
] as const;

/** Moves the focus to the next part of the page that is there. */
export function focusNextRegion(): void {
  const present = regions.flatMap(({ part, targets }) => {
    const element = document.querySelector(part);
    const first = targets
      .flatMap((target) => element?.querySelector<HTMLElement>(target) ?? [])
      .find((target) => target.getClientRects().length > 0);
    return element && first ? [{ element, first }] : [];
  });
  const at = present.findIndex(({ element }) => element.contains(document.activeElement));
  present[(at + 1) % present.length]?.first.focus();
}

/** Moves the focus to the heading of the open call. */
export function focusCall(): void {
  document.querySelector<HTMLElement>(".cs-detail .cs-title")?.focus();
}

/** The id of the button with the reader's name. */
export const personButtonId = "cs-person";

/** Moves the focus to the button with the reader's name. */
export function focusPerson(): void {
  document.getElementById(personButtonId)?.focus();
}
