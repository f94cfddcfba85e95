import { useEffect, useRef } from "react";

interface Found {
  ids: readonly string[];
  /** Whether they are up to date. */
  isLoaded: boolean;
  /** What found them. `undefined` while another call is open. */
  search: string | undefined;
}

/**
 * Reports the newest call that a search finds. It stays the same although newer ones come: what is open does not change under
 * the hand.
 */
export function useNewest(
  { ids, isLoaded, search }: Found,
  onNewest: (id: string | undefined) => void,
): void {
  const reported = useRef<string>(undefined);
  useEffect(() => () => onNewest(undefined), [onNewest]);
  useEffect(() => {
    if (search === undefined) reported.current = undefined;
    else if (isLoaded && search !== reported.current) {
      const [newest] = ids;
      reported.current = newest === undefined ? undefined : search;
      onNewest(newest);
    }
  }, [ids, isLoaded, search, onNewest]);
}
