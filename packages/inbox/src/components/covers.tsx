import { useCovers } from "../data/inbox/use-covers.js";

/**
 * Part of each popup of a dialog or menu: while the popup is open, no key acts on the page behind it, and the time for which the
 * call was on the screen stands still.
 */
export function Covers(): null {
  useCovers();
  return null;
}
