import { useEffect, useRef } from "react";
import { useInbox } from "../data/inbox/inbox-context.js";
import type { Place } from "../logic/lists/queue.js";

/** The open call's place in the list, remembered after it has left. Also tells the other parts which calls are listed. */
export function usePlace(ids: readonly string[], currentId: string | undefined): Place | undefined {
  const { queue } = useInbox();
  const known = useRef<Place>(undefined);
  const index = currentId === undefined ? -1 : ids.indexOf(currentId);
  if (currentId === undefined) known.current = undefined;
  else if (index >= 0) known.current = { id: currentId, index };
  const place = known.current;
  useEffect(() => queue.set({ ids, place }), [queue, ids, place]);
  return place;
}
