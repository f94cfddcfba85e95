import { useRef } from "react";
import { DialogFrame } from "../components/dialog-frame.js";
import { ErrorNotice } from "../components/error-notice.js";
import { useStops } from "../data/approvals/use-stops.js";
import { words } from "../words/words.js";
import { EngagedStop } from "./engaged-stop.js";
import { NewStop } from "./new-stop.js";

/** Stops calls of some tools, and lists the active stops. */
export default function StopDialog({ onClose }: { onClose: () => void }) {
  const stops = useStops(true);
  const first = useRef<HTMLInputElement>(null);
  const engaged = stops.data ?? [];
  return (
    <DialogFrame title={words.stops.dialog.title} onClose={onClose} initialFocus={first}>
      <p className="cs-dialog-words">{words.stops.dialog.what}</p>
      {stops.isError && <ErrorNotice error={stops.error} onRetry={() => void stops.refetch()} />}
      {engaged.length > 0 && (
        <ul className="cs-stops" aria-label={words.stops.dialog.active}>
          {engaged.map((stop) => (
            <EngagedStop key={stop.id} stop={stop} />
          ))}
        </ul>
      )}
      <NewStop first={first} />
    </DialogFrame>
  );
}
