import { useRef } from "react";
import { DialogFrame } from "../components/dialog-frame.js";
import { ErrorNotice } from "../components/error-notice.js";
import { useStops } from "../data/approvals/use-stops.js";
import { EngagedStop } from "./engaged-stop.js";
import { NewStop } from "./new-stop.js";

/** Stops calls of some tools, and lists the active stops. */
export default function StopDialog({ onClose }: { onClose: () => void }) {
  const stops = useStops(true);
  const first = useRef<HTMLInputElement>(null);
  const engaged = stops.data ?? [];
  return (
    <DialogFrame title="Stop calls" onClose={onClose} initialFocus={first}>
      <p className="cs-dialog-words">
        Calls that you stop here do not start until the stop is released, whatever the policy says. Calls that
        have started continue. Pending calls stay in the list, but nobody can approve them.
      </p>
      {stops.isError && <ErrorNotice error={stops.error} onRetry={() => void stops.refetch()} />}
      {engaged.length > 0 && (
        <ul className="cs-stops" aria-label="Active stops">
          {engaged.map((stop) => (
            <EngagedStop key={stop.id} stop={stop} />
          ))}
        </ul>
      )}
      <NewStop first={first} />
    </DialogFrame>
  );
}
