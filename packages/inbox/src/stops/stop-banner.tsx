import type { Approval } from "../api/approval.js";
import { Banner } from "../components/banner.js";
import { Button } from "../components/button.js";
import { useMayStop, useStops } from "../data/approvals/use-stops.js";
import { coveredText, distinctStops, stopTitle } from "../logic/wording/stop-text.js";

interface StopBannerProps {
  /** The reader's pending approvals. */
  items: readonly Approval[];
  onManage: () => void;
}

/** Warns that calls are stopped: approvers of those calls, and people who can release the stop. */
export function StopBanner({ items, onManage }: StopBannerProps) {
  const mayStop = useMayStop();
  const known = useStops(mayStop);
  const stops = distinctStops(
    items.map(({ stop }) => stop),
    known.data ?? [],
  );
  const [first, ...others] = stops;
  if (!first) return null;
  const more = others.length === 1 ? " There is another stop." : ` There are ${others.length} other stops.`;
  return (
    <Banner
      tone="danger"
      icon="critical"
      title={stopTitle(first)}
      urgent
      actions={mayStop && <Button onClick={onManage}>Show stops</Button>}
    >
      {`It covers ${coveredText(first.tool)}. Nobody can approve them until it is released.`}
      {others.length > 0 && more}
    </Banner>
  );
}
