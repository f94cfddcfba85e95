import { useEffect } from "react";
import { ApiError } from "../api/api-error.js";
import type { Approval } from "../api/approval.js";
import { useInbox } from "./inbox-context.js";

/** How often others are told again that somebody looks, in milliseconds. */
const tellEveryMs = 30_000;

/** Tells the others that the reader, who may decide, has this open, as long as it waits and the page is in view. */
export function useViewing({ id, status, mayDecide }: Approval): void {
  const { api } = useInbox();
  useEffect(() => {
    if (status !== "pending" || mayDecide === false) return;
    let unknown = false;
    const tell = (active: boolean) => {
      if (unknown) return;
      const path = `/approvals/${encodeURIComponent(id)}/viewing`;
      void api.send("POST", path, { active }, { keepalive: !active }).catch((error: unknown) => {
        unknown = error instanceof ApiError && error.status === 404;
      });
    };
    const tellIfSeen = () => document.visibilityState === "visible" && tell(true);
    tellIfSeen();
    const timer = setInterval(tellIfSeen, tellEveryMs);
    return () => {
      clearInterval(timer);
      tell(false);
    };
  }, [api, id, status, mayDecide]);
}
