import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { useLocation } from "wouter";
import type { Approval } from "../../api/approval.js";
import { isUndecided } from "../../logic/decisions/hold.js";
import { neighbour } from "../../logic/lists/queue.js";
import { useInbox } from "./inbox-context.js";
import { keys } from "./query-keys.js";

/**
 * After a decision or a snooze: opens the next call below it in the list, if there is one and the reader has not left the
 * decided one meanwhile. What was done is reported if the reader can take it back, or no longer sees it.
 */
export function useOpenNext(): (decided: Approval) => void {
  const { queue, ownDecisions } = useInbox();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return useCallback(
    (decided) => {
      const { ids, place } = queue.get();
      const index = ids.indexOf(decided.id);
      // A live update may have taken the call from the list before the answer is here.
      const from = index >= 0 ? { id: decided.id, index } : place?.id === decided.id ? place : undefined;
      const isOpen = (id: string) => {
        const known = client.getQueryData<Approval>(keys.approval(id));
        return !known || isUndecided(known);
      };
      const next = from && neighbour(ids, isOpen, from, 1);
      if (next !== undefined || !isHere.current || decided.held || decided.snoozedUntil !== null)
        ownDecisions.set((all) => [
          ...all.filter(({ id }) => id !== decided.id),
          { id: decided.id, approvals: [decided] },
        ]);
      if (next !== undefined && isHere.current) navigate(`/approvals/${next}${window.location.search}`);
    },
    [queue, ownDecisions, client, navigate],
  );
}
