import type { Approval } from "../api/approval.js";
import { Banner } from "../components/banner.js";
import { Button } from "../components/button.js";
import { useKnownApproval } from "../data/approvals/use-approval.js";
import { useMayStop, useStops } from "../data/approvals/use-stops.js";
import { coveredText, distinctStops, stopTitle } from "../logic/wording/stop-text.js";
import { words } from "../words/words.js";

interface StopBannerProps {
  /** The reader's pending approvals. */
  items: readonly Approval[];
  /** The open call. */
  openId: string | undefined;
  onManage: () => void;
}

/**
 * Warns that calls are stopped: approvers of those calls, and people who can release the stop. The stop of the open call comes
 * first.
 */
export function StopBanner({ items, openId, onManage }: StopBannerProps) {
  const mayStop = useMayStop();
  const known = useStops(mayStop);
  const own = useKnownApproval(openId)?.stop;
  const stops = distinctStops(
    items.map(({ stop }) => stop),
    known.data ?? [],
    [own],
  );
  const first = own ?? stops[0];
  if (!first) return null;
  const others = stops.length - 1;
  return (
    <Banner
      tone="danger"
      icon="critical"
      title={stopTitle(first)}
      urgent
      actions={mayStop && <Button onClick={onManage}>{words.stops.show}</Button>}
    >
      {words.stops.covers(coveredText(first.tool))}
      {others > 0 && ` ${words.stops.others(others)}`}
    </Banner>
  );
}
