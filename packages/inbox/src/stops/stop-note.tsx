import type { Approval } from "../api/approval.js";
import { Banner } from "../components/banner.js";
import { stopTitle } from "../logic/wording/stop-text.js";

/** Says that a pending call cannot be approved because an operator stopped its tool. */
export function StopNote({ approval }: { approval: Approval }) {
  const { stop, status, mayDecide } = approval;
  if (!stop || status !== "pending") return null;
  return (
    <Banner tone="danger" icon="critical" title={stopTitle(stop)}>
      You cannot approve this until the stop is released.
      {mayDecide && approval.decisions.includes("deny") && " You can still deny it."}
    </Banner>
  );
}
