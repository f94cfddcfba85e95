import { useId, useRef, useState } from "react";
import { Button } from "../components/button.js";
import { DialogFrame } from "../components/dialog-frame.js";
import { ErrorNotice } from "../components/error-notice.js";
import { maxReasonLength, useEngageStop, useStops } from "../data/approvals/use-stops.js";
import { EngagedStop } from "./engaged-stop.js";

/** Stops calls of some tools, and lists the active stops. */
export default function StopDialog({ onClose }: { onClose: () => void }) {
  const stops = useStops(true);
  const engage = useEngageStop();
  const [tool, setTool] = useState("*");
  const [reason, setReason] = useState("");
  const first = useRef<HTMLInputElement>(null);
  const id = useId();
  const engaged = stops.data ?? [];
  return (
    <DialogFrame title="Stop calls" onClose={onClose} initialFocus={first}>
      <p className="cs-dialog-words">
        Calls of these tools do not start until the stop is released, whatever the policy says. Calls that
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
      <form
        className="cs-form"
        aria-label="New stop"
        onSubmit={(event) => {
          event.preventDefault();
          if (!engage.isPending) engage.mutate({ tool, reason }, { onSuccess: () => setReason("") });
        }}
      >
        <label className="cs-panel-word" htmlFor={`${id}-tool`}>
          <span>
            Tools <small>· a name, a pattern such as refund_*, or * for every call</small>
          </span>
          <input
            ref={first}
            id={`${id}-tool`}
            className="cs-input"
            autoComplete="off"
            required
            maxLength={200}
            value={tool}
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => setTool(event.target.value)}
          />
        </label>
        <label className="cs-panel-word" htmlFor={`${id}-reason`}>
          <span>
            Reason <small>· shown to people, not to the agent</small>
          </span>
          <input
            id={`${id}-reason`}
            className="cs-input"
            autoComplete="off"
            required
            maxLength={maxReasonLength}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
        {engage.isError && <ErrorNotice error={engage.error} />}
        <div className="cs-decision-buttons">
          <span className="cs-spacer" />
          <Button type="submit" tone="danger" blocked={engage.isPending ? "Stopping calls" : undefined}>
            Stop
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
