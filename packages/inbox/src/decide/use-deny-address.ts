import { useEffect, useRef } from "react";
import { useLocation, useRoute, useSearch } from "wouter";

/** Opens the denial of the open call if its address ends with `?deny`, as that of a notification does. It denies nothing. */
export function useDenyAddress(openDenial: (() => void) | undefined): void {
  const [inInbox] = useRoute("/approvals/:id");
  const [path, navigate] = useLocation();
  const search = useSearch();
  const wanted = inInbox && new URLSearchParams(search).has("deny");
  const latest = useRef(openDenial);
  latest.current = openDenial;
  useEffect(() => {
    if (!wanted) return;
    latest.current?.();
    const rest = new URLSearchParams(search);
    rest.delete("deny");
    // The next call must not open with its denial too.
    navigate(rest.size > 0 ? `${path}?${rest}` : path, { replace: true });
  }, [wanted, search, path, navigate]);
}
