import { useCallback, useRef } from "react";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { rangeTo } from "../logic/lists/queue.js";

/** The most calls that can be decided at once. */
export const maxSelected = 200;

/** The selected calls, and functions that select some or none. */
export function useSelection() {
  const { selected: store } = useInbox();
  const selected = useValue(store);
  /** The call that was selected, or not, last. */
  const last = useRef<string>(undefined);
  const select = useCallback(
    (ids: readonly string[], on: boolean) => {
      last.current = ids.at(-1);
      store.set((now) => {
        const chosen = new Set(now);
        for (const id of ids) on ? chosen.add(id) : chosen.delete(id);
        return new Set([...chosen].slice(0, maxSelected));
      });
    },
    [store],
  );
  /** Selects a call, or not, and with it those between it and the one before it, as they stand in `rows`. */
  const selectTo = useCallback(
    (rows: readonly string[], id: string, on: boolean) => select(rangeTo(rows, last.current, id), on),
    [select],
  );
  const clear = useCallback(() => store.set(new Set()), [store]);
  return { selected, select, selectTo, clear };
}
