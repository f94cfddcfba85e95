import { useEffect } from "react";
import type { Approval } from "../../api/approval.js";
import { useInbox } from "../inbox/inbox-context.js";

/** Interval between heartbeats, in milliseconds. */
const heartbeatMs = 30_000;

/** Reports the reader as a viewer while the approval is pending, the reader can decide it and the page is visible. */
export function useViewing({ id, status, mayDecide }: Approval): void {
  const { api } = useInbox();
  useEffect(() => {
    if (status !== "pending" || !mayDecide) return;
    const report = (active: boolean) =>
      void api.setViewing({ id, body: { active }, keepalive: !active }).catch(() => undefined);
    const reportIfVisible = () => document.visibilityState === "visible" && report(true);
    reportIfVisible();
    const timer = setInterval(reportIfVisible, heartbeatMs);
    return () => {
      clearInterval(timer);
      report(false);
    };
  }, [api, id, status, mayDecide]);
}
