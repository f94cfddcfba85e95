import { useCallback } from "react";
import type { GrantSuggestion } from "../api/approval.js";
import { createValueStore, useValue } from "../data/inbox/value-store.js";

const chosen = createValueStore<{ id: string; suggestion: GrantSuggestion } | null>(null);

/** The suggested grant that the reader has chosen to give with an approval. */
export function useGrantChoice(
  id: string,
): [GrantSuggestion | undefined, (suggestion: GrantSuggestion) => void] {
  const now = useValue(chosen);
  const choose = useCallback((suggestion: GrantSuggestion) => chosen.set({ id, suggestion }), [id]);
  return [now?.id === id ? now.suggestion : undefined, choose];
}
