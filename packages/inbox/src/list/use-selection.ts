import { useCallback } from "react";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";

/** The most calls that can be decided at once. */
const maxSelected = 200;

/** The selected calls, and functions that select some or none. */
export function useSelection() {
  const { selected: store } = useInbox();
  const selected = useValue(store);
  const select = useCallback(
    (ids: readonly string[], on: boolean) =>
      store.set((now) => {
        const chosen = new Set(now);
        for (const id of ids) on ? chosen.add(id) : chosen.delete(id);
        return new Set([...chosen].slice(0, maxSelected));
      }),
    [store],
  );
  const clear = useCallback(() => store.set(new Set()), [store]);
  return { selected, select, clear };
}
