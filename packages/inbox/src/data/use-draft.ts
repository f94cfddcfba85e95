import { useCallback } from "react";
import { type Draft, emptyDraft, useInbox } from "./inbox-context.js";
import { useValue } from "./value-store.js";

/** What the reader has typed about one approval, and how to change it. */
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
