import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState } from "react";
import type { Approval } from "../api/approval.js";
import { keys } from "../data/inbox/query-keys.js";
import { heldRows } from "../logic/lists/held-rows.js";

/**
 * The rows to show. They do not move while the pointer or the focus is among them; new rows are counted instead. A new
 * `about`, such as another search, starts over.
 */
export function useHeldList(items: readonly Approval[], about: string) {
  const client = useQueryClient();
  const [active, setActive] = useState({ pointer: false, focus: false });
  const shown = useRef<readonly string[]>([]);
  const known = useRef(new Map<string, Approval>());
  const [, showAll] = useState(0);
  const shownAbout = useRef(about);
  if (shownAbout.current !== about) {
    shownAbout.current = about;
    shown.current = [];
  }
  const current = useMemo(() => items.map(({ id }) => id), [items]);
  for (const item of items) known.current.set(item.id, item);
  const { ids, newCount } = heldRows(shown.current, current, active.pointer || active.focus);
  shown.current = ids;
  const release = useCallback(() => {
    shown.current = [];
    showAll((count) => count + 1);
  }, []);
  const approvalOf = useCallback(
    (id: string): Approval | undefined =>
      client.getQueryData<Approval>(keys.approval(id)) ?? known.current.get(id),
    [client],
  );
  const handlers = {
    onPointerEnter: () => setActive((now) => ({ ...now, pointer: true })),
    onPointerLeave: () => setActive((now) => ({ ...now, pointer: false })),
    onFocus: () => setActive((now) => ({ ...now, focus: true })),
    onBlur: () => setActive((now) => ({ ...now, focus: false })),
  };
  return { ids, newCount, release, approvalOf, handlers };
}
