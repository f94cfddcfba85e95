import { latePart } from "../late/late-part.js";

const load = () => import("./detail-pane.js");

/** One approval in full, which a list does not need. */
export const DetailPane = latePart(load);

/** Loads it at once, where the address says that it will be shown. */
export function hurryDetailPane(): void {
  void load().catch(() => undefined);
}
