import { useCallback } from "react";
import { type Draft, emptyDraft, useInbox } from "../inbox/inbox-context.js";
import { useValue } from "../inbox/value-store.js";

/** The reader's unsent input for one approval, with functions that change and drop it. */
export function useDraft(id: string): [Draft, (change: Partial<Draft>) => void, () => void] {
  const { drafts } = useInbox();
  const draft = useValue(drafts).get(id) ?? emptyDraft;
  const change = useCallback(
    (part: Partial<Draft>) =>
      drafts.set((all) => new Map(all).set(id, { ...(all.get(id) ?? emptyDraft), ...part })),
    [drafts, id],
  );
  const drop = useCallback(
    () =>
      drafts.set((all) => {
        const rest = new Map(all);
        rest.delete(id);
        return rest;
      }),
    [drafts, id],
  );
  return [draft, change, drop];
}
