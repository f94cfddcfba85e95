import { lazyPart } from "../lazy/lazy-part.js";
import { loadAllEnglish } from "../words/english.js";

const load = () => import("./detail-pane.js");

/** The detail pane, which the list does not need. */
export const DetailPane = lazyPart(load);

/** Loads the detail pane at once, for addresses that show it. */
export function preloadDetailPane(): void {
  void Promise.all([load(), loadAllEnglish()]).catch(() => undefined);
}
