/** Elements in which letters are text, or choose an option. */
export const typing =
  'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"], [role="listbox"]';

const popups = ':is([role="dialog"], [role="alertdialog"], [role="menu"], dialog[open])';
/** Messages and the like say that they leave the page usable. */
const covering = `${popups}:not([aria-modal="false"])`;

/** Whether a dialog or menu is open, of the inbox or of the page around it, that does not contain the element. */
export function isCovered(element: Element | null): boolean {
  return [...document.querySelectorAll(covering)].some(
    (popup) => popup.checkVisibility({ visibilityProperty: true }) && !popup.contains(element),
  );
}

/** Whether a target is in a dialog, menu or message that does not contain the element. */
export function isInPopup(target: Element | null, element: Element | null): boolean {
  const popup = target?.closest(popups);
  return popup != null && !popup.contains(element);
}

/**
 * Focuses a part of a call that has just appeared, which may be long after the reader asked for it. It must not catch the keys that
 * they press in a dialog or menu by then, or type into a field elsewhere.
 */
export function takeFocus(element: HTMLElement | null): void {
  const { activeElement: at } = document;
  const isTyping = at?.matches(typing) && at.closest("article") !== element?.closest("article");
  if (!isTyping && !isCovered(element)) element?.focus();
}
