import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Approval } from "../../api/approval.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { useCounts } from "./use-counts.js";

/** The shortest and the longest wait for a timer, in milliseconds. A longer one would fire at once. */
const shortest = 500;
const longest = 24 * 3_600_000;

/** Loads the lists again when a call that the reader has put aside comes back, by the server's clock. */
export function useReturns(): void {
  const { clock } = useInbox();
  const client = useQueryClient();
  const { data, dataUpdatedAt } = useCounts();
  const nextReturn = data?.nextReturn ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: newer counts may name the same time once more
  useEffect(() => {
    if (nextReturn === null) return;
    const waitMs = Date.parse(nextReturn) - clock.now();
    const timer = setTimeout(
      () => {
        for (const queryKey of [keys.lists, keys.counts, keys.allFacets])
          void client.invalidateQueries({ queryKey });
        void client.invalidateQueries({
          queryKey: keys.allApprovals,
          predicate: ({ state }) => ((state.data as Approval | undefined)?.snoozedUntil ?? null) !== null,
        });
      },
      Math.min(longest, Math.max(shortest, waitMs)),
    );
    return () => clearTimeout(timer);
  }, [client, clock, nextReturn, dataUpdatedAt]);
}
