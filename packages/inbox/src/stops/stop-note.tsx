import type { Approval } from "../api/approval.js";
import { Banner } from "../components/banner.js";
import { stopTitle } from "../logic/wording/stop-text.js";
import { words } from "../words/words.js";

/** Says that a pending call cannot be approved because an operator stopped its tool. */
export function StopNote({ approval }: { approval: Approval }) {
  const { stop, status, mayDecide } = approval;
  if (!stop || status !== "pending") return null;
  return (
    <Banner tone="danger" icon="critical" title={stopTitle(stop)}>
      {words.stops.notYet}
      {mayDecide && approval.decisions.includes("deny") && ` ${words.stops.mayDeny}`}
    </Banner>
  );
}
