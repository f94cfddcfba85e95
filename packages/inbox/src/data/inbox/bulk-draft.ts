import type { Choice } from "../../logic/lists/batch-plan.js";
import { createValueStore, type ValueStore } from "./value-store.js";

/** What the reader wants for the selected calls, and has not sent. */
export interface BulkDraft {
  /** By approval id. @default "approve" */
  choices: ReadonlyMap<string, Choice>;
  /** Why some are denied. */
  denyReason: string;
}

/** The unsent choices about the selected calls. A call that is no longer selected loses its choice. */
export function createBulkDraft(selected: ValueStore<ReadonlySet<string>>): ValueStore<BulkDraft> {
  const draft = createValueStore<BulkDraft>({ choices: new Map(), denyReason: "" });
  selected.subscribe(() => {
    const ids = selected.get();
    draft.set(({ choices, denyReason }) => ({
      choices: new Map([...choices].filter(([id]) => ids.has(id))),
      denyReason: ids.size > 0 ? denyReason : "",
    }));
  });
  return draft;
}
