import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { useKnownApproval } from "../data/approvals/use-approval.js";
import { type ListName, listNames, searchOf } from "../logic/lists/view.js";

/**
 * Shows the list that holds a call which has been opened by its address. A call that leaves its list later, such as by a decision
 * of the reader, takes them nowhere.
 *
 * @param rows The calls of the list that is shown. `undefined` until they are known.
 */
export function useHoldingList(
  id: string | undefined,
  shown: ListName,
  rows: readonly string[] | undefined,
): void {
  const [, navigate] = useLocation();
  const lists = useKnownApproval(id)?.lists;
  const settled = useRef<string>(undefined);
  useEffect(() => {
    if (id === settled.current) return;
    if (id === undefined || rows?.includes(id)) settled.current = id;
    else if (rows && lists) {
      settled.current = id;
      const list = lists.includes(shown) ? undefined : listNames.find((name) => lists.includes(name));
      if (list) navigate(`/approvals/${id}${searchOf({ list, text: "" })}`, { replace: true });
    }
  }, [id, shown, rows, lists, navigate]);
}
