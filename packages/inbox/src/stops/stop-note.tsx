import { useContext } from "react";
import type { Approval } from "../api/approval.js";
import { Banner } from "../components/banner.js";
import { PlaceContext } from "../data/inbox/host.js";
import { stopTitle } from "../logic/wording/stop-text.js";
import { words } from "../words/words.js";

/**
 * Says that a pending call cannot be approved because an operator stopped its tool. In the inbox, the banner at the top says who and
 * why.
 */
export function StopNote({ approval }: { approval: Approval }) {
  const inInbox = useContext(PlaceContext).of === "inbox";
  const { stop, status, mayDecide } = approval;
  if (!stop || status !== "pending") return null;
  const { notYet, mayDeny } = words.stops;
  const texts = [notYet, ...(mayDecide && approval.decisions.includes("deny") ? [mayDeny] : [])];
  const [title = "", ...others] = inInbox ? texts : [stopTitle(stop), ...texts];
  return (
    <Banner tone="danger" icon="critical" title={title}>
      {others.join(" ")}
    </Banner>
  );
}
