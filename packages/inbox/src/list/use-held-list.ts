import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState } from "react";
import type { Approval } from "../api/approval.js";
import { keys } from "../data/query-keys.js";
import { heldRows } from "../logic/held-rows.js";

/**
 * The rows to show: still while the pointer or the focus is among them; what has come meanwhile is counted. Where they
 * are about something else, such as other words that were searched for, they begin anew.
 */
export function useHeldList(items: readonly Approval[], about: string) {
  const client = useQueryClient();
  const [hand, setHand] = useState({ pointer: false, focus: false });
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
  const { ids, waiting } = heldRows(shown.current, current, hand.pointer || hand.focus);
  shown.current = ids;
  const release = useCallback(() => {
    shown.current = [];
    showAll((count) => count + 1);
  }, []);
  const approvalOf = (id: string): Approval | undefined =>
    client.getQueryData<Approval>(keys.approval(id)) ?? known.current.get(id);
  const handlers = {
    onPointerEnter: () => setHand((now) => ({ ...now, pointer: true })),
    onPointerLeave: () => setHand((now) => ({ ...now, pointer: false })),
    onFocus: () => setHand((now) => ({ ...now, focus: true })),
    onBlur: () => setHand((now) => ({ ...now, focus: false })),
  };
  return { ids, waiting, release, approvalOf, handlers };
}
