import type { Approval } from "../api/approval.js";
import { Banner } from "../components/banner.js";
import { Button } from "../components/button.js";
import { useMayStop, useStops } from "../data/approvals/use-stops.js";
import { coveredText, distinctStops, stopTitle } from "../logic/wording/stop-text.js";
import { words } from "../words/words.js";

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
  return (
    <Banner
      tone="danger"
      icon="critical"
      title={stopTitle(first)}
      urgent
      actions={mayStop && <Button onClick={onManage}>{words.stops.show}</Button>}
    >
      {words.stops.covers(coveredText(first.tool))}
      {others.length > 0 && ` ${words.stops.others(others.length)}`}
    </Banner>
  );
}
